/** How one program starts a server of its own, or reaches one. */
export type ServerEntry =
  | {
      readonly type: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly type: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** A program that speaks MCP, and the form in which its settings name a server. */
export interface McpClient {
  readonly title: string
  /** Where the text belongs, as its documentation has it. */
  readonly file: string
  /** What is pasted there; `undefined` where the program cannot connect that way. */
  readonly text: (entry: ServerEntry) => string | undefined
  /** A command that does the same. */
  readonly command?: (entry: ServerEntry) => string
}

const NAME = 'foreword'

/** By the word that names them on the command line. The first is the form that most programs read. */
export const clients: Readonly<Record<string, McpClient>> = {
  'claude-desktop': {
    title: 'Claude Desktop',
    file: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    text: (entry) => (entry.type === 'http' ? undefined : json('mcpServers', started(entry))),
  },
  'claude-code': {
    title: 'Claude Code',
    file: '.mcp.json in the folder of the project',
    text: (entry) => json('mcpServers', loadedAtOnce(entry)),
    command: (entry) => `claude mcp add-json --scope user ${NAME} ${quoted(JSON.stringify(loadedAtOnce(entry)))}`,
  },
  cursor: {
    title: 'Cursor',
    file: '~/.cursor/mcp.json, or .cursor/mcp.json in the folder of the project',
    text: (entry) => json('mcpServers', entry.type === 'http' ? withoutType(entry) : started(entry)),
  },
  vscode: {
    title: 'Visual Studio Code',
    file: '.vscode/mcp.json in the workspace, or the one that "MCP: Open User Configuration" opens',
    text: (entry) => json('servers', entry),
  },
  windsurf: {
    title: 'Windsurf',
    file: '~/.codeium/windsurf/mcp_config.json',
    text: (entry) =>
      json('mcpServers', entry.type === 'http' ? { serverUrl: entry.url, headers: entry.headers } : started(entry)),
  },
  zed: {
    title: 'Zed',
    file: '~/.config/zed/settings.json',
    text: (entry) =>
      json('context_servers', entry.type === 'http' ? withoutType(entry) : { source: 'custom', ...started(entry) }),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    file: '~/.gemini/settings.json',
    text: (entry) =>
      json('mcpServers', entry.type === 'http' ? { httpUrl: entry.url, headers: entry.headers } : started(entry)),
  },
  codex: {
    title: 'Codex',
    file: '~/.codex/config.toml',
    text: (entry) =>
      entry.type === 'http' ? toml({ url: entry.url, ...atOnce }, { http_headers: entry.headers }) : programToml(entry),
  },
}

/** Claude Code names tools in its first request only where it is told so, and has a model search for them otherwise. */
function loadedAtOnce(entry: ServerEntry): object {
  return { ...entry, alwaysLoad: true }
}

/** Codex waits for such a server: tools that come later change the beginning of its requests, and what was cached is lost. */
const atOnce = { required: true }

function programToml({ command, args, env }: Extract<ServerEntry, { type: 'stdio' }>): string {
  return toml({ command, args, ...atOnce }, Object.keys(env).length === 0 ? {} : { env })
}

function withoutType({ type: _type, ...rest }: ServerEntry): object {
  return rest
}

function started({ command, args, env }: Extract<ServerEntry, { type: 'stdio' }>): object {
  return { command, args, env }
}

function json(key: string, entry: object): string {
  return JSON.stringify({ [key]: { [NAME]: entry } }, undefined, 2)
}

/** Strings and lists of strings are written the same in TOML and in JSON. */
function toml(values: object, tables: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const written = (value: unknown): string =>
    Array.isArray(value) ? `[${value.map(written).join(', ')}]` : JSON.stringify(value)
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${written(value)}`)
  const inline = Object.entries(tables).map(([key, table]) => {
    const pairs = Object.entries(table).map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`)
    return `${key} = { ${pairs.join(', ')} }`
  })
  return [`[mcp_servers.${NAME}]`, ...lines, ...inline].join('\n')
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
