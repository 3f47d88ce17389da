import { stat } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { confinedPath, isKeptElsewhere, isWithin, resolvedPath } from '../../capability/toolkit.ts'
import { isOwnersName, isSecretName, type PlaceWord } from '../../tool.ts'

/** Where a command works, and what is kept from it. All paths are absolute. */
export interface CommandPlace {
  /** Without links. */
  readonly folder: string
  readonly workspace: string
  readonly outOfReach: readonly string[]
  readonly readOnly: readonly string[]
}

/**
 * `undefined` where a preset may run the command. Links are followed. The world can change afterwards, so it is asked
 * again right before the run.
 */
export async function presetPathFault(
  words: readonly PlaceWord[],
  place: CommandPlace,
  preset: string,
): Promise<string | undefined> {
  const root = await resolvedPath(place.workspace)
  if (root === undefined || !isWithin(root, place.folder)) {
    return `the preset ${preset} allows commands in the workspace only: leave cwd out`
  }
  for (const word of words) {
    const why = await wordFault(word, place, root)
    if (why !== undefined) return `${why} (preset ${preset})`
  }
  return undefined
}

async function wordFault({ word, kind }: PlaceWord, place: CommandPlace, root: string): Promise<string | undefined> {
  const shown = JSON.stringify(word.length > 200 ? `${word.slice(0, 200)}…` : word)
  const segments = word.split('/').filter((one) => one !== '' && one !== '.')
  // Behind a link, the system takes .. from where the link leads.
  if (
    segments.slice(segments.findIndex((one) => one !== '..')).includes('..') &&
    segments.some((one) => one !== '..')
  ) {
    return `${shown} goes up behind a folder: write the path without ..`
  }
  const asked = word === '' ? '' : relative(root, resolve(place.folder, word)) || '.'
  const found = await confinedPath(root, asked, place.outOfReach)
  if (found.type === 'refused') return found.why
  const names = [...segments, ...found.names]
  if (names.some(isSecretName)) return `${shown} is out of reach: such a file holds keys or passwords`
  const facts = await stat(found.path, { bigint: true }).catch(() => undefined)
  if (facts?.isFile() && (await isKeptElsewhere(facts, found))) {
    return `${shown} is out of reach: it is another name of a file that is kept from tools`
  }
  if (facts?.isDirectory() && found.closed.some((one) => isWithin(found.path, one))) {
    return `${shown} contains a place that is kept from tools: name a folder of it`
  }
  if (kind !== 'path' && facts?.isDirectory()) return `${shown} is a folder: name a file`
  if (kind !== 'written') return undefined
  if (!facts?.isFile()) return `${shown} is no file: name one that is there`
  if (names.some(isOwnersName)) return `${shown} is a file of the owner, which tools do not change`
  const kept = await Promise.all(place.readOnly.map(resolvedPath))
  return kept.some((one) => one !== undefined && isWithin(one, found.path))
    ? `${shown} is a file of the owner, which tools do not change`
    : undefined
}
