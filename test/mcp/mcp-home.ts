import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Plugin } from '../../src/capability.ts'
import { type McpOptions, openMcp } from '../../src/capabilities/mcp-client/open-mcp.ts'
import { createToolbox, type ToolResult } from '../../src/tool.ts'
import type { ServerScript } from './server-script.ts'
import { systemClock } from '../../src/platform.ts'

type Configured = McpOptions['servers'][string]

/** Servers, what was accepted of them, and plugins over both: everything ends and goes with `close`. */
export interface McpHome {
  readonly folder: string
  /** What the store holds, by server. */
  readonly kept: Map<string, unknown>
  /** A scripted server, ready to be configured. */
  scripted(name: string, script: ServerScript): ScriptedServer
  /** A plugin that was started. */
  plugin(servers: Readonly<Record<string, Partial<Configured>>>, options?: Partial<McpOptions>): Promise<Plugin>
  close(): Promise<void>
}

export interface ScriptedServer {
  readonly configured: Partial<Configured>
  change(script: ServerScript): void
  /** Every message that came to it, and when it was started. */
  log(): readonly string[]
}

export function openMcpHome(): McpHome {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-mcp-'))
  const kept = new Map<string, unknown>()
  const plugins: Plugin[] = []
  return {
    folder,
    kept,
    scripted(name, script) {
      const scriptFile = join(folder, `${name}.json`)
      const logFile = join(folder, `${name}.log`)
      const change = (changed: ServerScript) => writeFileSync(scriptFile, JSON.stringify(changed))
      change(script)
      writeFileSync(logFile, '')
      const program = join(import.meta.dirname, 'scripted-server.ts')
      return {
        configured: { command: process.execPath, args: [program, scriptFile, logFile] },
        change,
        log: () => readFileSync(logFile, 'utf8').split('\n').filter(Boolean),
      }
    },
    async plugin(servers, options = {}) {
      const configured = Object.entries(servers).map(
        ([name, server]) =>
          [name, { enabled: true, sandbox: 'off' as const, connectTimeoutMs: 20_000, ...server }] as const,
      )
      const opened = await openMcp({
        clock: systemClock,
        redact: (text) => text,
        servers: Object.fromEntries(configured),
        environment: { PATH: process.env['PATH'] },
        accepted: {
          read: async (server) => structuredClone(kept.get(server)),
          write: async (server, value) => void kept.set(server, structuredClone(value)),
        },
        connects: true,
        confine: async ({ argv }) => ({ argv, leave: async () => ({ moved: [], changed: [] }) }),
        version: '1.0.0',
        ...options,
      })
      const plugin: Plugin = { name: 'mcp', version: '1', ...opened }
      plugins.push(plugin)
      return plugin
    },
    async close() {
      for (const plugin of plugins) await plugin.stop?.()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Calls a tool as a turn does. */
export function callTool(
  plugin: Plugin,
  toolName: string,
  input: unknown = {},
  { signal = new AbortController().signal, timeoutMs = 30_000 } = {},
): Promise<ToolResult> {
  const call = { toolCallId: 'call', toolName, input }
  return createToolbox(plugin.tools?.() ?? [], { timeoutMs }).run(call, {
    clock: systemClock,
    session: 's',
    turn: 't',
    signal,
  })
}

export function namesOf(plugin: Plugin): readonly string[] {
  return (plugin.tools?.() ?? []).map(({ name }) => name)
}

/** Looks until something is so. Only for what happens in the background. */
export async function until(isSo: () => boolean): Promise<void> {
  const last = Date.now() + 20_000
  while (!isSo()) {
    if (Date.now() > last) throw new Error(`it never came to be: ${isSo.toString()}`)
    await wait(10)
  }
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
