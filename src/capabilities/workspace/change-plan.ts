import { fileDiff, type ToolFailed, type ToolPlan } from '../../tool.ts'
import { confinedPath, type Inside } from '../../capability.ts'
import { keptByOwner } from './kept-by-owner.ts'
import { replaceFile } from './replace-file.ts'
import { shownName } from './shown-name.ts'
import { digestOf, type FileRead, MOST_BYTES, readTextFile } from './text-file.ts'
import type { WorkspaceOptions } from './workspace-options.ts'

/** What a file should hold, or why the change cannot be made. */
export type Change =
  | { readonly type: 'text'; readonly text: string; readonly said: string }
  | { readonly type: 'refused'; readonly why: string }

/** Decides what a file should hold. `before` is its text, `undefined` where there is no file. */
export type Changing = (shown: string, before: string | undefined) => Change

/**
 * Plans a change to one file: the folder, a diff, and the digests before and after, all of which a person can be shown
 * (BEHAVIOURS §2). Its run changes exactly that, or nothing where the file is another one by then.
 */
export async function changePlan(
  options: WorkspaceOptions,
  path: string,
  changing: Changing,
): Promise<ToolPlan | ToolFailed> {
  const place = await confinedPath(options.folder, path, options.outOfReach)
  if (place.type === 'refused') return failure(place.why)
  const shown = shownName(place.names.join('/')) || '.'
  const kept = await keptByOwner(place, options)
  if (kept !== undefined) return failure(`${shown} is out of reach for changes: ${kept}`)
  const found = await readTextFile(place)
  if (found.type === 'folder') return failure(`${shown} is a folder, not a file`)
  if (found.type === 'unusable') return failure(found.why)
  const before = found.type === 'text' ? found : undefined
  const change = changing(shown, before?.text)
  if (change.type === 'refused') return failure(change.why)
  const fault = textFault(shown, change.text, before)
  if (fault !== undefined) return failure(fault)
  return planOf(place, shown, before, change)
}

type Before = Extract<FileRead, { type: 'text' }> | undefined

async function planOf(
  place: Inside,
  shown: string,
  before: Before,
  { text, said }: Extract<Change, { type: 'text' }>,
): Promise<ToolPlan> {
  return {
    folder: place.root,
    diff: await fileDiff(shown, before?.text, text),
    facts: { path: place.names.join('/'), before: before?.digest ?? 'new', after: digestOf(text) },
    async run() {
      const replaced = await replaceFile(place, text, before ?? 'new')
      if (replaced.type === 'refused') return failure(`${shown}: ${replaced.why}`)
      return { ok: true, output: said, meta: { bytes: Buffer.byteLength(text) } }
    },
  }
}

function textFault(shown: string, text: string, before: Before): string | undefined {
  if (!text.isWellFormed()) return 'the text holds half a character (a lone surrogate)'
  if (text.includes('\0')) return 'the text holds a NUL byte: only text files are written'
  if (text === before?.text) return `${shown} already holds exactly this text`
  const bytes = Buffer.byteLength(text)
  return bytes > MOST_BYTES ? `${shown} would hold ${bytes} bytes; at most ${MOST_BYTES} are written` : undefined
}

function failure(error: string): ToolFailed {
  return { ok: false, error }
}
