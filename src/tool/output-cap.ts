import { audioType, cutJson, imageSize, imageType, wholeCharacter } from '../context.ts'
import type { ToolResult } from './tool.ts'

/** A result whose texts have at most `limit` characters, plus a line that says how much is missing (BEHAVIOURS §2.4). */
export function cappedResult(result: ToolResult, limit: number): ToolResult {
  const texts = result.ok ? [result.output] : [result.error, result.output ?? '']
  if (texts.every((text) => text.length <= limit)) return result
  const [first, output] = texts.map((text) => cutJson(text, limit, '') ?? truncateText(text, limit))
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const meta = { bytes, ...result.meta, truncated: true }
  if (result.ok) return { ...result, output: first!, meta }
  return { ...result, error: first!, ...(output && { output }), meta }
}

/** Of one result. */
const MOST_IMAGES = 8
/** Of one image: in base64 it is 5 MiB, the limit of Anthropic's API. */
const MOST_IMAGE_BYTES = 3.75 * 1024 * 1024
/** The longest side that providers accept, pixels. */
const LONGEST_SIDE = 8_000

/** A result with the images that providers accept. The output says of every other that it is left out, and why. */
export function boundedImages(result: ToolResult): ToolResult {
  if (!result.ok || result.images === undefined) return result
  const faults = result.images.map(({ bytes }, index) =>
    index < MOST_IMAGES ? imageFault(bytes) : `a result can have ${MOST_IMAGES}`,
  )
  const said = faults
    .slice(0, MOST_IMAGES)
    .flatMap((fault, index) => (fault ? [`image or recording ${index + 1}: ${fault}`] : []))
  const more = faults.length - MOST_IMAGES
  if (more > 0) said.push(`${more} more images or recordings: ${faults.at(-1)}`)
  return {
    ...result,
    output: [result.output, ...said.map((each) => `[left out, ${each}]`)].filter((text) => text !== '').join('\n'),
    images: result.images.filter((_, index) => faults[index] === undefined),
  }
}

function imageFault(bytes: Uint8Array): string | undefined {
  const type = audioType(bytes) ?? imageType(bytes) ?? ''
  if (!/^(?:image\/(?:png|jpeg|gif|webp)|audio\/.*)$/.test(type)) return 'it is no PNG, JPEG, GIF, WebP, WAV or MP3'
  if (bytes.byteLength > MOST_IMAGE_BYTES) return 'it has more than 3.75 MiB'
  if (type.startsWith('audio')) return undefined
  const { width, height } = imageSize(bytes, type) ?? { width: Infinity, height: Infinity }
  return Math.max(width, height) > LONGEST_SIDE ? 'it has no size, or a side of more than 8,000 pixels' : undefined
}

/** A result without secrets: in what the model reads, and in the argv of its facts. */
export function redactedResult(result: ToolResult, redact: (text: string) => string): ToolResult {
  const { meta } = result
  const facts = meta?.argv ? { meta: { ...meta, argv: meta.argv.map(redact) } } : {}
  if (result.ok) return { ...result, output: redact(result.output), ...facts }
  const { output } = result
  return {
    ...result,
    error: redact(result.error),
    ...(output !== undefined && { output: redact(output) }),
    ...facts,
  }
}

/** A text cut to `limit` characters, with a note of what was cut. */
export function truncateText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const shown = wholeCharacter(text, limit)
  return `${text.slice(0, shown)}${truncationNote(shown, text.length)}`
}

/** The line below a text that was cut. */
export function truncationNote(shown: number, all: number): string {
  return `\n...[truncated: ${shown} of ${all} characters shown]`
}
