// The error that all functions of the library throw, and its codes. A released code keeps its
// meaning (docs/errors.md).

export { type ErrorCode, SvcError } from "../base/errors/errors.ts";
