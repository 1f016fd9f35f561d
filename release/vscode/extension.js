// Starts `svc dap` for debug sessions of type svc, and asks for a hash or a capsule file.

const vscode = require("vscode");

const HASH = /^[0-9a-fA-F]{64}$/;

function activate(context) {
  const factory = {
    createDebugAdapterDescriptor() {
      const path = vscode.workspace.getConfiguration("svc").get("path", "svc");
      return new vscode.DebugAdapterExecutable(path, ["dap"]);
    },
  };
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("svc", factory),
    vscode.commands.registerCommand("svc.debugTransaction", debugTransaction),
  );
}

async function debugTransaction() {
  const given = await vscode.window.showInputBox({
    title: "Debug Stellar transaction",
    prompt: "Transaction hash, or the path of a capsule file",
    ignoreFocusOut: true,
  });
  if (!given) return;
  const subject = HASH.test(given.trim()) ? { hash: given.trim() } : { capsule: given.trim() };
  const networks = ["testnet", "mainnet", "futurenet"];
  const network = subject.hash && (await vscode.window.showQuickPick(networks, { title: "Network" }));
  if (subject.hash && !network) return;
  const name = `Stellar ${given.trim().slice(0, 12)}`;
  const configuration = { type: "svc", request: "launch", name, ...subject };
  await vscode.debug.startDebugging(undefined, network ? { ...configuration, network } : configuration);
}

module.exports = { activate, deactivate() {} };
