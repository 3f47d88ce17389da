import { createHash } from 'node:crypto'
import { audioType, cutText, imageType } from '../context.ts'
import { errorMessage, LONG_TEXT, textChunks } from '../platform.ts'
import type { ResultImage } from '../session.ts'
import type { ToolResult } from '../tool.ts'
import type { TurnRun } from './turn-setup.ts'

/** A result as the model reads it. `whole` is present where that is only a part of it; the whole has to be kept. */
export interface CutResult {
  readonly text: string
  readonly whole?: { readonly id: string; readonly text: string }
}

/** The share of the beginning in the shown characters; the rest is for the end. */
const HEAD_SHARE = 0.7

/**
 * Cuts a result to `most` characters (`cutText`), with its size and the id under which `read_result` shows the rest.
 * `query`: what was searched for.
 */
export function cutResult(result: ToolResult, most: number, query?: string): CutResult {
  const text = resultText(result)
  if (text.length <= most) return { text }
  const hash = createHash('sha256')
  for (const part of textChunks(text, LONG_TEXT)) hash.update(part, 'utf16le')
  const id = `r-${hash.digest('hex').slice(0, 12)}`
  const how = (offset: number) => `; read_result shows them: id ${id}, offset ${offset}`
  return { text: cutText(text, { most, headShare: HEAD_SHARE, how, query }), whole: { id, text } }
}

/** A result as text: the output, or the error with the output after it. */
export function resultText(result: ToolResult): string {
  if (result.ok) return result.output
  return result.output ? `${result.error}\n${result.output}` : result.error
}

/** Images are kept before the log refers to them. One that cannot be kept is named in the output. */
export async function keepImages(
  journal: Pick<TurnRun['journal'], 'keepImage'>,
  toolName: string,
  result: ToolResult,
): Promise<{ readonly result: ToolResult; readonly images?: readonly ResultImage[] }> {
  if (!result.ok || !result.images?.length) return { result }
  const lost: string[] = []
  const kept = await Promise.all(
    result.images.map(({ bytes }, index) => {
      const name = `${toolName}-${index + 1}.${fileEnding(bytes)}`
      return journal.keepImage({ name, bytes }).catch((error: unknown) => {
        lost.push(`[left out, ${name}: ${errorMessage(error)}]`)
      })
    }),
  )
  const images = kept.filter((image) => image !== undefined)
  // A blank text is refused by providers.
  const said = result.output.trim() === '' ? images.map(({ name }) => `[${name}]`) : [result.output]
  return {
    result: { ...result, output: [...said, ...lost].join('\n') },
    ...(images.length > 0 ? { images } : {}),
  }
}

function fileEnding(bytes: Uint8Array): string | undefined {
  const sound = audioType(bytes)
  return sound ? (sound === 'audio/wav' ? 'wav' : 'mp3') : imageType(bytes)?.replace('image/', '')
}

/** The least that is shown of a result, however much the turn has shown before, characters. */
const LEAST = 1_000

/**
 * How much of each result of one step may be shown, characters: at most its own limit and an equal share of what the turn
 * has left. The order in which the tools end changes nothing.
 */
export function resultAllowance(
  own: number,
  turn: { readonly most: number; readonly shown: number; readonly calls: number },
): number {
  const share = Math.floor((turn.most - turn.shown) / turn.calls)
  return Math.min(own, Math.max(LEAST, share))
}
