import { posix } from 'node:path'
import { importsOf } from '../../test/house/imports.ts'
import { isTest } from './source-counts.ts'

/** Two folders of one room whose files import each other. */
export interface FolderCircle {
  /** Such as `runtime/calls`. */
  readonly folders: readonly [string, string]
  /** Imports of files of the second by files of the first, and the other way round. Those of types count: both must be understood together. */
  readonly imports: readonly [number, number]
}

/** Pairs of folders beside each other in a room that import each other, the most entangled first. */
export function folderCircles(
  sources: ReadonlyMap<string, { readonly path: string; readonly text: string }>,
): readonly FolderCircle[] {
  const imports = new Map<string, number>()
  for (const { path, text } of sources.values()) {
    if (isTest(path)) continue
    for (const { specifier } of importsOf(text)) {
      const [from, to] = [folderOf(path), folderOf(posix.join(posix.dirname(path), specifier))]
      if (from === undefined || to === undefined || from === to || posix.dirname(from) !== posix.dirname(to)) continue
      imports.set(`${from} ${to}`, (imports.get(`${from} ${to}`) ?? 0) + 1)
    }
  }
  return [...imports]
    .flatMap(([pair, there]) => {
      const [from, to] = pair.split(' ') as [string, string]
      const back = imports.get(`${to} ${from}`)
      return back === undefined || from > to ? [] : [{ folders: [from, to], imports: [there, back] } as const]
    })
    .toSorted((one, other) => Math.min(...other.imports) - Math.min(...one.imports))
}

/** The room and the first folder in it: of `src/runtime/calls/a/b.ts` it is `runtime/calls`. */
function folderOf(path: string): string | undefined {
  const [source, room, folder, ...rest] = path.split('/')
  return source === 'src' && rest.length > 0 ? `${room}/${folder}` : undefined
}
