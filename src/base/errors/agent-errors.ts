// The codes that only tools for agents have: part of the catalogue.

const USAGE = 2;

export const AGENT_ERRORS = {
  ANSWER_NOT_FOUND: {
    exitCode: USAGE,
    httpStatus: 404,
    summary: "An agent asked for a section of an answer that svc does not keep.",
    advice:
      "Call the first tool again. Only the latest answers are kept, in the memory of a process.",
  },
  FILE_NOT_ALLOWED: {
    exitCode: USAGE,
    httpStatus: 403,
    summary: "An agent named a file that it must not read or write.",
    advice: "Name a file in the directory of `svc mcp --allow-directory`; no file is overwritten.",
    httpAdvice: "Use the hash of a transaction: the daemon reads and writes no files for clients.",
  },
} as const;
