// Runs in a sandbox that has the folder, the place for what is moved, and the code of this program: `restore.ts` starts it.
import { text } from 'node:stream/consumers'
import type { OwnerFiles } from './owner-files.ts'
import { restoreOwnerFiles } from './restore-owner-files.ts'

/** What the program reads from its standard input, as JSON. */
export interface RestoreOrder {
  readonly folder: string
  readonly place: string
  readonly identity: string
  readonly entries: readonly (readonly [
    path: string,
    file: OwnerFiles['entries'] extends ReadonlyMap<string, infer File> ? File : never,
  ])[]
}

const { folder, place, identity, entries } = JSON.parse(await text(process.stdin)) as RestoreOrder
const before = { identity, entries: new Map(entries) }
process.stdout.write(JSON.stringify(await restoreOwnerFiles(folder, before, place)))
