import { existsSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makePrivateFolder, syncFolder } from '../../platform.ts'
import { CUT_OFF, parseCheckpoint } from '../../session.ts'
import type { CheckpointTarget } from './checkpoint-target.ts'

/** A file to which lines are only ever appended, for the owner alone (0600). Each line is on disk before the next one. */
export function fileTarget(name: string, path: string): CheckpointTarget {
  return {
    name,
    path,
    async append(line) {
      const isNew = !existsSync(path)
      if (isNew) await makePrivateFolder(dirname(path))
      const file = await open(path, 'a+', 0o600)
      try {
        await file.appendFile(`${await cutOffEnd(file)}${line}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      if (isNew) await syncFolder(dirname(path))
    },
    async read() {
      if (!existsSync(path)) return []
      const lines = (await readFile(path, 'utf8')).split('\n')
      const last = lines.pop()!
      if (last === '') return lines
      return [...lines, parseCheckpoint(last) ? last : `${last}${CUT_OFF}`]
    },
  }
}

/** More than any line has. */
const TAIL_BYTES = 16_384

/** What ends a line that a crash cut off. It is not removed: the file is never rewritten. */
async function cutOffEnd(file: FileHandle): Promise<string> {
  const { size } = await file.stat()
  const length = Math.min(size, TAIL_BYTES)
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
  const last = buffer.toString('utf8').split('\n').at(-1)!
  if (last === '') return ''
  return parseCheckpoint(last) ? '\n' : `${CUT_OFF}\n`
}
