import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The cases in which others send the gateway what takes long to work on. */
export const ATTACKS = {
  backtracking: '20 calls, pattern backtracks',
  schemas: '200 heavy schemas',
  pdfs: '4 PDFs that unfold',
  fileBehind: 'a text file behind 4 such PDFs',
  path: 'path of 8,000 folders',
  programs: '64 shell calls of one message',
  fork: 'program that multiplies',
  changes: '20,000 changes of an MCP server',
  large: 'turn with 2.9 MB of schemas',
  bodies: '8 bodies of 60 MB, /through',
  messages: 'body of 100,000 messages, /v1',
  tokens: '1,000 wrong tokens',
} as const

/** The calls of tools that a model makes in these cases. */
export const CALLS = {
  backtracking: `use 20 heavy__slow ${JSON.stringify({ text: `${'a'.repeat(60)}!` })}`,
  path: `use 1 read_file ${JSON.stringify({ path: 'a/'.repeat(8_000) })}`,
  programs: `use 64 shell ${JSON.stringify({ cmd: "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'" })}`,
  // Some thousand processes at most, also where nothing stops it.
  fork: `use 1 shell ${JSON.stringify({ cmd: `sh -c 'f() { [ $1 -gt 11 ] || { f $(($1+1)) & f $(($1+1)) & }; sleep 5; }; f 1; wait'` })}`,
  changes: 'use 1 noisy__change {}',
} as const

/**
 * MCP servers: `heavy` has a tool whose pattern backtracks, `many` has 200 whose schemas take long to read, `noisy` says
 * 20,000 times that its tools have changed, and `large` has 2.9 MB of schemas.
 */
export function attackers(folder: string): object {
  const backtracking = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } }
  const many = Array.from({ length: 200 }, (_, tool) => ({ name: `t${tool}`, inputSchema: heavySchema(tool) }))
  const server = (name: string, tools: readonly object[]) => {
    const script = join(folder, `${name}.script.json`)
    writeFileSync(script, JSON.stringify({ tools }))
    const program = join(import.meta.dirname, '../../test/mcp/scripted-server.ts')
    const args = [program, script, join(folder, `${name}.log`)]
    return { command: process.execPath, args, sandbox: 'off', connectTimeoutMs: 60_000 }
  }
  const large = Array.from({ length: 50 }, (_, tool) => ({ name: `t${tool}`, inputSchema: longSchema(tool) }))
  return {
    heavy: server('heavy', [{ name: 'slow', inputSchema: backtracking }]),
    many: server('many', many),
    noisy: server('noisy', [{ name: 'change', does: 'announce', times: 20_000 }]),
    large: server('large', large),
  }
}

function heavySchema(tool: number): object {
  const fields = Array.from({ length: 100 }, (_, index) => [
    `t${tool}p${index}`,
    { allOf: [{ minLength: 1 }, { pattern: `^${tool}a` }], anyOf: [{ type: 'string' }, { required: ['x'] }] },
  ])
  return { type: 'object', properties: Object.fromEntries(fields) }
}

function longSchema(tool: number): object {
  const fields = Array.from({ length: 29 }, (_, index) => [`t${tool}p${index}`, { description: 'x'.repeat(2_000) }])
  return { type: 'object', properties: Object.fromEntries(fields) }
}

/** PDFs of two thousand bytes that draw ten thousand million letters: ten levels of forms draw the next one ten times. */
export function unfoldingPdfs(count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, file) => {
    const stream = (head: string, content: string) =>
      `<< ${head} /Length ${content.length} >>\nstream\n${content}\nendstream`
    const form = (level: number) =>
      level === 10
        ? stream(
            '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F 3 0 R >> >>',
            'BT /F 9 Tf (a) Tj ET',
          )
        : stream(
            `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${level + 6} 0 R >> >>`,
            '/X Do '.repeat(10),
          )
    const objects = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [4 0 R] /Count 1 /N ${file} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Contents 5 0 R >>',
      stream('', '/X Do'),
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(form),
    ]
    const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('')
    return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF\n`)
  })
}
