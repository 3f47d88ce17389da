import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The cases in which others send the gateway what takes long to work on. */
export const ATTACKS = ['20 calls, pattern backtracks', '200 heavy schemas', '4 PDFs that unfold'] as const

/** MCP servers: `heavy` has a tool whose pattern backtracks, `many` has 200 whose schemas take long to read. */
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
  return { heavy: server('heavy', [{ name: 'slow', inputSchema: backtracking }]), many: server('many', many) }
}

function heavySchema(tool: number): object {
  const fields = Array.from({ length: 100 }, (_, index) => [
    `t${tool}p${index}`,
    { allOf: [{ minLength: 1 }, { pattern: `^${tool}a` }], anyOf: [{ type: 'string' }, { required: ['x'] }] },
  ])
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
