import { Operations } from "./generated.js";

/** A client of `assay serve`: a method for each operation of the server. */
export class AssayClient extends Operations {}

export type * from "./generated.js";
export * from "./stream.js";
export { AssayError, type CallOptions, type ClientOptions } from "./transport.js";
