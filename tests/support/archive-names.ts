// The names of files in the archive of a release, as the tests of installers make one.

export const PROGRAMS: readonly string[] = ["svc", "svc-sim", "svc-sim-recording"];

/** Some of the other files: at least one of each kind that an installer puts somewhere. */
export const OTHER_FILES: readonly string[] = [
  "pkcs11.node",
  "man/svc.1",
  "completions/svc.bash",
  "completions/_svc",
  "completions/svc.fish",
  "docs/ci.md",
];
