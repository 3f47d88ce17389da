import type { TestContext } from 'node:test'
import type { Runtime } from '../home/features.ts'
import { listen, type ServerOptions } from '../../src/server.ts'
import { createTestServer as createServer } from '../home/test-server.ts'
import { openedHome, type OpenedHome } from '../home/opened-home.ts'

export const TOKEN = 'a-token-of-the-test'

/** A whole home with a gateway on a port of its own. */
export interface McpHome extends OpenedHome {
  readonly url: URL
  /** What the gateway told its operator of faults inside. */
  readonly faults: readonly unknown[]
  /** The gateway stops, as it does at its end. */
  stop(): Promise<void>
}

export interface McpHomeOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly server?: Partial<ServerOptions>
  /** Stands between the runtime and its door. */
  readonly around?: (runtime: Runtime) => Runtime
}

export async function mcpHome(t: TestContext, options: McpHomeOptions = {}): Promise<McpHome> {
  const { files = {}, server: more = {}, around = (runtime: Runtime) => runtime } = options
  const opened = await openedHome(t, files)
  const faults: unknown[] = []
  const log = { error: (facts: object) => void faults.push('err' in facts ? facts.err : facts) }
  const bind = '127.0.0.1'
  const server = createServer(around(opened.runtime), { token: TOKEN, bind, version: '0.1.0', log, ...more })
  const listening = await listen(server, { port: 0, bind })
  const stop = () => listening.close({ graceMs: 1_000 })
  t.after(stop)
  return { ...opened, url: new URL('/mcp', listening.url), faults, stop }
}

/** A subject with everything in it. */
export const oneSubject: Readonly<Record<string, string>> = {
  'subjects/one/brief.md': 'Tastes: [night, calm]\n\nA harbour before dawn.\n',
  'subjects/one/notes.md': '# Notes\n\nThe horizon is level.\n',
  'subjects/one/log.jsonl': '{"timestamp":"2026-01-01T00:00:00Z","op":"open","frame":7}\n',
  'tastes/_default.md': 'Keep it quiet.\n',
  'tastes/night.md': '# Night\n\nDark skies stay dark.\nNo halos.\n',
  'tastes/calm.md': '# Calm\n\nNo halos.\n',
}
