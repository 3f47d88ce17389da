import { styleText } from 'node:util'
import type { Io, Output } from '../capability.ts'

export type Look = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'

/** Words in a look of their own: only on a terminal, and never with `NO_COLOR`. */
export function styled(io: Io, look: Look, text: string, output: Output = io.stdout): string {
  return hasColour(io, output) ? styleText(look, text, { validateStream: false }) : text
}

function hasColour(io: Io, output: Output): boolean {
  if (io.environment.NO_COLOR !== undefined && io.environment.NO_COLOR !== '') return false
  return output.isTTY === true && io.environment.TERM !== 'dumb'
}

/**
 * Text of a model, a tool or a file, fit for a terminal: without the control characters by which it could move the
 * cursor, rewrite what stands above or set the clipboard. A pipe gets every character as it is.
 */
export function harmless(text: string, output: Output): string {
  if (output.isTTY !== true) return text
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out here
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '')
}
