import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { importsOf } from '../../test/house/imports.ts'
import { floors } from '../../test/house/rules.ts'

/** The rooms of the house, and how many imports lead from one to another. */
export interface HouseGraph {
  /** From the ground up; the rooms of a floor by name. */
  readonly floors: readonly (readonly Room[])[]
  readonly imports: readonly RoomImport[]
}

export interface Room {
  readonly name: string
  /** The folders of a room that is a row of features: it has twice as many folders as files of its own, or more. Empty for any other room. */
  readonly features: readonly string[]
}

export interface RoomImport {
  readonly from: string
  readonly to: string
  /** 1: some, 2: many, 3: very many. Kept coarse, so that one import more seldom changes the picture. */
  readonly weight: 1 | 2 | 3
}

export function houseGraph(folder: string): HouseGraph {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .toSorted()
  const counts = countedImports(folder, files)
  const names = [...new Set(files.map(roomOf))].toSorted()
  const levels = [...new Set(names.map((name) => floorOf(name, counts)))].toSorted((one, other) => one - other)
  return {
    floors: levels.map((level) =>
      names
        .filter((name) => floorOf(name, counts) === level)
        .map((name) => ({ name, features: featuresOf(name, files) })),
    ),
    imports: [...counts].flatMap(([from, targets]) =>
      [...targets].map(([to, count]) => ({ from, to, weight: weightOf(count) })),
    ),
  }
}

type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>

function countedImports(folder: string, files: readonly string[]): Counts {
  const counts = new Map<string, Map<string, number>>()
  for (const file of files) {
    for (const { specifier } of importsOf(readFileSync(join(folder, file), 'utf8'))) {
      if (!specifier.startsWith('.')) continue
      const target = posix.join(posix.dirname(file), specifier)
      const [from, to] = [roomOf(file), roomOf(target)]
      if (from === to || target.startsWith('..')) continue
      const targets = counts.get(from) ?? new Map<string, number>()
      counts.set(from, targets.set(to, (targets.get(to) ?? 0) + 1))
    }
  }
  return counts
}

/** Where `test/house/rules.ts` puts the room; a room that it does not know stands on top of what it imports. */
function floorOf(name: string, counts: Counts): number {
  const known = floors[name]
  if (known !== undefined) return known
  return Math.max(0, ...[...(counts.get(name)?.keys() ?? [])].map((below) => floors[below] ?? 0)) + 1
}

function featuresOf(room: string, files: readonly string[]): readonly string[] {
  const inside = files.filter((file) => file.startsWith(`${room}/`)).map((file) => file.split('/'))
  const folders = new Set(inside.filter((parts) => parts.length > 2).map((parts) => parts[1]!))
  const own = inside.filter((parts) => parts.length === 2).length
  return folders.size > 0 && folders.size >= 2 * own ? [...folders].toSorted() : []
}

function weightOf(count: number): 1 | 2 | 3 {
  if (count < 10) return 1
  return count < 50 ? 2 : 3
}

function roomOf(file: string): string {
  return file.split('/')[0]!.replace(/\.ts$/, '')
}
