/** The `test` of `node:test`, or a function of the same shape. */
export type TestFunction = (title: string, run: () => Promise<void>) => unknown
