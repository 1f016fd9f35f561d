// Starts `svc dap` for debug sessions of type svc, and asks for a hash or a capsule file.

const { execFile } = require("node:child_process");
const vscode = require("vscode");

/** A hash, also with 0x before it or within the URL of an explorer. */
const HASH = /(?:^|0x|[^0-9a-fA-F])([0-9a-fA-F]{64})(?![0-9a-fA-F])/;
const MAINNET = /\b(?:public|pubnet|mainnet)\b/;
const OTHER = "Other…";
const NETWORKS = ["testnet", "mainnet", "futurenet", "local"];

function activate(context) {
  const factory = {
    async createDebugAdapterDescriptor({ workspaceFolder }) {
      const path = vscode.workspace.getConfiguration("svc").get("path", "svc");
      await checkStarts(path);
      // Paths of a launch configuration, and builds in target, are those of its folder.
      const options = workspaceFolder ? { cwd: workspaceFolder.uri.fsPath } : {};
      return new vscode.DebugAdapterExecutable(path, ["dap"], options);
    },
  };
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("svc", factory),
    vscode.commands.registerCommand("svc.debugTransaction", debugTransaction),
    vscode.commands.registerCommand("svc.why", () => shown(why)),
    vscode.commands.registerCommand("svc.origin", (given) => shown(origin, given)),
  );
}

/** The editor itself says nothing where a program is missing. Throws an Error with the remedy. */
function checkStarts(path) {
  return new Promise((resolve, reject) => {
    execFile(path, ["version"], (error) => {
      if (error === null) resolve();
      else
        reject(
          new Error(
            `${path} cannot be started (${error.code}). Install svc, or set \`svc.path\` in the settings to its path.`,
          ),
        );
    });
  });
}

async function debugTransaction() {
  const given = await vscode.window.showInputBox({
    title: "Debug Stellar transaction",
    prompt: "Transaction hash or URL, or the path of a capsule file. Empty: choose the file.",
    ignoreFocusOut: true,
  });
  if (given === undefined) return;
  const chosen = given.trim() || (await chosenFile());
  if (!chosen) return;
  const hash = HASH.exec(chosen)?.[1].toLowerCase();
  const subject = hash ? { hash } : { capsule: chosen };
  // The network that the URL names comes first.
  const named = MAINNET.test(given) ? "mainnet" : NETWORKS.find((each) => given.includes(each));
  const networks = [...new Set([...(named ? [named] : []), ...NETWORKS, OTHER])];
  const picked = hash && (await vscode.window.showQuickPick(networks, { title: "Network" }));
  const prompt = "Name of a network in stellar-cli";
  const network = picked === OTHER ? await vscode.window.showInputBox({ prompt }) : picked;
  if (hash && !network) return;
  const name = `Stellar ${hash ? hash.slice(0, 12) : chosen.split(/[/\\]/).at(-1)}`;
  const configuration = { type: "svc", request: "launch", name, ...subject };
  // A relative path is one of the folder.
  const folder = vscode.workspace.workspaceFolders?.[0];
  await vscode.debug.startDebugging(folder, network ? { ...configuration, network } : configuration);
}

async function chosenFile() {
  const filters = { Capsules: ["json", "html"] };
  const [file] = (await vscode.window.showOpenDialog({ title: "Capsule", filters })) ?? [];
  return file?.fsPath;
}

/** What is not known is a message, too. */
async function shown(ask, given) {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== "svc") return;
  try {
    const { text, moment } = await ask(session, given);
    const way = moment === null ? [] : ["Go there"];
    if (await vscode.window.showInformationMessage(text, ...way))
      await session.customRequest("gotoMoment", { moment });
  } catch (error) {
    vscode.window.showWarningMessage(error.message);
  }
}

async function why(session) {
  const { summary, moment } = await session.customRequest("why");
  return { text: summary, moment };
}

async function origin(session, given) {
  const expression = given?.variable?.evaluateName;
  const frameId = vscode.debug.activeStackItem?.frameId;
  const { text, moment } = await session.customRequest("origin", { expression, frameId });
  return { text: `${expression}: ${text}`, moment };
}

module.exports = { activate, deactivate() {} };
