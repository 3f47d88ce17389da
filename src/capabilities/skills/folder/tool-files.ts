/** The files that declare the tools of a skill, in the order in which they are read. */
export const TOOL_FILES = ['tools.json', 'allowlist.json', 'execution.json'] as const

export type ToolFile = (typeof TOOL_FILES)[number]

/**
 * Their texts. One `tools.json` may hold everything; or it is a list of tools, and `allowlist.json` and `execution.json`
 * beside it say what they may run and what they do run.
 */
export type ToolFiles = { readonly 'tools.json': string } & { readonly [Name in ToolFile]?: string }
