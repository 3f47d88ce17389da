import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { foreword } from '../kit/started-program.ts'
import { mcpHome, oneSubject, TOKEN } from './mcp-home.ts'

const inspector = dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli/build/cli.js')))

interface Inspected {
  readonly tools?: readonly object[]
  readonly prompts?: readonly object[]
  readonly structuredContent?: { readonly success: boolean }
  readonly contents?: readonly { readonly text: string }[]
}

async function inspected(args: readonly string[]): Promise<Inspected> {
  // It looks for its own version beside where it is called, and for a Node of its own in PATH.
  const child = spawn(process.execPath, ['cli.js', '--cli', ...args], {
    cwd: inspector,
    env: { PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  assert.equal(code, 0, errors)
  return JSON.parse(text) as Inspected
}

for (const way of ['stdio', 'http'] as const) {
  test(`the command line of the inspector lists, calls and reads over ${way}`, async (t) => {
    const { home, url } = await mcpHome(t, { files: oneSubject })
    const target =
      way === 'http'
        ? [url.href, '--transport', 'http', '--header', `Authorization: Bearer ${TOKEN}`]
        : [process.execPath, foreword, 'mcp', '-e', `FOREWORD_HOME=${home}`]
    const [list, called, read] = await Promise.all([
      inspected([...target, '--method', 'tools/list']),
      inspected([...target, '--method', 'tools/call', '--tool-name', 'read_context', '--tool-arg', 'image_id=one']),
      inspected([...target, '--method', 'resources/read', '--uri', 'foreword://subjects/one/brief']),
    ])
    assert.equal(list.tools!.length, 10)
    assert.equal(called.structuredContent!.success, true)
    assert.equal(read.contents![0]!.text, oneSubject['subjects/one/brief.md'])
  })
}
