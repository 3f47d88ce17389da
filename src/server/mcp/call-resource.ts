import { outline } from '../../context.ts'
import type { CallRecord } from '../../session.ts'
import type { ResourceText } from './resources.ts'

/** The account of one model call: `manifest` as JSON, `outline` as lines. */
export function callText(call: CallRecord | undefined, part: string | undefined): ResourceText | undefined {
  if (call === undefined) return undefined
  if (part === 'manifest') return { mimeType: 'application/json', text: JSON.stringify(call.manifest) }
  return part === 'outline' ? { mimeType: 'text/plain', text: `${outline(call.manifest)}\n` } : undefined
}
