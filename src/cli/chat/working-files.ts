import { opendirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'

/** Files and folders that are looked at for one list. */
const MOST = 5_000

/**
 * Names of the files below a folder, as they are written behind `@`: the nearest first, by name. Hidden ones and what tools
 * install are left out, and a large folder is not read to its end.
 */
export function workingFiles(directory: string): readonly string[] {
  const files: string[] = []
  let folders = ['']
  let looked = 0
  while (folders.length > 0 && looked < MOST) {
    const deeper: string[] = []
    for (const folder of folders) {
      for (const entry of entriesOf(join(directory, folder), MOST - looked)) {
        looked += 1
        if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
        const name = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (entry.isDirectory()) deeper.push(name)
        else if (entry.isFile()) files.push(name)
      }
    }
    folders = deeper.toSorted()
  }
  return files.toSorted((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1))
}

function depth(name: string): number {
  return name.split('/').length
}

/** What cannot be read is not offered. */
function entriesOf(folder: string, most: number): readonly Dirent[] {
  const entries: Dirent[] = []
  try {
    const open = opendirSync(folder)
    try {
      for (let entry = open.readSync(); entry !== null && entries.length < most; entry = open.readSync())
        entries.push(entry)
    } finally {
      open.closeSync()
    }
  } catch {
    return entries
  }
  return entries
}
