import { type Tool, toolFailure, type ToolResult } from '../../tool.ts'
import { confinedPath, pathInput } from '../../capability/toolkit.ts'
import type { TextFile } from '../../document.ts'
import { fileLines } from './line-matcher.ts'
import { printableName, readTextFile, type WorkspaceOptions } from './text-file.ts'

/** Default number of lines of one answer, and the highest limit. */
const USUAL_LINES = 400
const MOST_LINES = 5000

const LINE_CHARS = 2000

interface ReadInput {
  readonly path: string
  readonly offset?: number
  readonly limit?: number
}

/** The tool that reads lines of a text file in the workspace. */
export function readFileTool({ folder, outOfReach }: WorkspaceOptions): Tool {
  return {
    name: 'read_file',
    description: `Read lines of a text file. offset is the first line, from 1; limit is ${USUAL_LINES} unless given.`,
    inputSchema: {
      type: 'object',
      properties: {
        path: pathInput,
        offset: { type: 'integer', minimum: 1 },
        limit: { type: 'integer', minimum: 1 },
      },
      required: ['path'],
      additionalProperties: false,
    },
    origin: 'file',
    afterUntrusted: 'allow',
    readsFrom: ({ path }) => [String(path)],
    idempotent: true,
    async execute(input) {
      const { path, offset = 1, limit = USUAL_LINES } = input as ReadInput
      const place = await confinedPath(folder, path, outOfReach)
      if (place.type === 'refused') return toolFailure(place.why)
      const shown = printableName(place.names.join('/')) || '.'
      const found = await readTextFile(place)
      if (found.type === 'missing') return toolFailure(`${shown} does not exist; list_files shows what does`)
      if (found.type === 'folder') return toolFailure(`${shown} is a folder; list_files shows what is in it`)
      if (found.type === 'unusable') return toolFailure(found.why)
      return page(shown, found, offset, Math.min(limit, MOST_LINES))
    },
  }
}

function page(shown: string, { text, encoding }: TextFile, offset: number, limit: number): ToolResult {
  const lines = textLines(text)
  if (lines.length === 0) return { ok: true, output: `${shown}: empty` }
  if (offset > lines.length) return toolFailure(`${shown} has ${lines.length} lines; there is no line ${offset}`)
  const wanted = lines.slice(offset - 1, offset - 1 + limit)
  const last = offset - 1 + wanted.length
  const left = lines.length - last
  const rest = left > 0 ? `\n[${left} more line${left === 1 ? '' : 's'}: offset ${last + 1}]` : ''
  const nuls = text.split('\0').length - 1
  const facts = [
    ...(encoding === 'utf-8' ? [] : [encoding]),
    ...(text.includes('\ufffd') ? ['with bytes or characters that cannot be shown'] : []),
    ...(nuls === 0 ? [] : [`${nuls} NUL ${nuls === 1 ? 'byte' : 'bytes'} left out`]),
  ]
  const named = facts.length === 0 ? shown : `${shown} (${facts.join(', ')})`
  const head = `${named}: lines ${offset} to ${last} of ${lines.length}`
  return { ok: true, output: `${head}\n${wanted.map(shortenLine).join('\n')}${rest}` }
}

/** A line break or an end mark (Ctrl-Z) at the end begins no line. */
function textLines(text: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- these are what is left out
  const lines = fileLines(text.replaceAll(/\0|\x1a+$/g, ''))
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function shortenLine(line: string): string {
  if (line.length <= LINE_CHARS) return line
  return `${line.slice(0, LINE_CHARS).toWellFormed()}...[line cut: ${LINE_CHARS} of ${line.length} characters shown]`
}
