// The part of the catalogue that is about tokens, keys and signatures. A code keeps its meaning.

const CONFIGURATION = 3;
const EXPECTATION = 7;

export const SIGNING_ERRORS = {
  PKCS11_ADDON_UNAVAILABLE: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The addon that talks to PKCS#11 modules cannot be loaded.",
    advice:
      "Set TMPDIR to a directory that can be written to and executed from, or put pkcs11.node " +
      "beside svc.",
  },
  PKCS11_MODULE_UNLOADABLE: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The PKCS#11 module is not there, is none, or cannot be initialised.",
    advice: "Set SVC_PKCS11_MODULE to the library that came with the token.",
  },
  PKCS11_NO_SLOTS: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The PKCS#11 module has no slots.",
    advice: "Check that the device is connected and that you may use it.",
  },
  PKCS11_TOKEN_NOT_FOUND: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "No token is as the settings say.",
    advice: "See svc hsm list; set SVC_PKCS11_TOKEN_LABEL or SVC_PKCS11_SLOT.",
  },
  PKCS11_TOKEN_NOT_INITIALISED: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The token is blank, or has no user PIN.",
    advice: "Initialise it with its own tool.",
  },
  PKCS11_AMBIGUOUS: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "Several tokens or keys are as the settings say.",
    advice: "Name one: SVC_PKCS11_SLOT, SVC_PKCS11_KEY_ID.",
  },
  PKCS11_PIN_UNKNOWN: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "No PIN was given, and there is no terminal to ask for it.",
    advice: "Set SVC_PKCS11_PIN, or give --pin-file.",
  },
  PKCS11_LOGIN_FAILED: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The token refused the PIN; operating documents call this 0x1000.",
    advice: "Check the PIN; too many wrong ones lock it.",
  },
  PKCS11_PIN_LOCKED: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The token's user PIN is locked.",
    advice: "Unlock it with the token's own tool and its security officer's PIN.",
  },
  PKCS11_KEY_NOT_FOUND: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The private key is not on the token.",
    advice: "See svc hsm list; set SVC_PKCS11_KEY_LABEL or SVC_PKCS11_KEY_ID.",
  },
  PKCS11_KEY_UNSUITABLE: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The key, or the token, cannot make Ed25519 signatures.",
    advice: "Choose an Ed25519 key that may sign; see svc hsm list.",
  },
  PKCS11_TOKEN_REMOVED: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "The token went away while it was used.",
    advice: "Check that it is connected, then run the command again.",
  },
  PKCS11_FAILED: {
    exitCode: CONFIGURATION,
    httpStatus: 500,
    summary: "A PKCS#11 call failed.",
    advice: "Check the token with svc hsm test, and the module's own log.",
  },
  SIGNATURE_INVALID: {
    exitCode: EXPECTATION,
    httpStatus: 422,
    summary: "A signature does not belong to what it stands beside.",
    advice: "Do not trust the file; get it again from whoever signed it.",
  },
  SIGNER_UNEXPECTED: {
    exitCode: EXPECTATION,
    httpStatus: 500,
    summary: "The signer is not the one that --expect-signer names.",
    advice: "Choose another key, or correct --expect-signer.",
  },
} as const;
