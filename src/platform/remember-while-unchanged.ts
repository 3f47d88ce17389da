import { type FSWatcher, lstatSync, statfsSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from './clock.ts'

/**
 * Reads something from files that lie directly in some folders, and not again while nothing in these folders changes. The kernel
 * queues the notice of a change before the change returns, so that a value is never older than the question for it. Where notices
 * cannot be trusted it is read each time: beside Linux, on file systems that others change, and behind links.
 */
export function rememberWhileUnchanged<Value>(
  clock: Pick<Clock, 'yield'>,
  { folders, files = [] }: { readonly folders: readonly string[]; readonly files?: readonly string[] },
  read: () => Promise<Value>,
) {
  let watchers: readonly FSWatcher[] = []
  let known: { readonly value: Value } | undefined

  function forget(): void {
    for (const watcher of watchers) watcher.close()
    watchers = []
    known = undefined
  }

  return {
    async value(): Promise<Value> {
      // Notices that wait arrive first. They are collected between the first yield and the second.
      if (known) await clock.yield()
      if (known) await clock.yield()
      if (known) return known.value
      forget()
      const opened = process.platform === 'linux' ? watchAll(folders, forget) : []
      watchers = opened
      const isWatched = opened.length > 0 && [...folders, ...files].every(isReported)
      const value = await read()
      if (isWatched && watchers === opened) known = { value }
      return value
    },
    close: forget,
  }
}

/** Watches each folder; where one is missing, the folder in which it would appear. None where that is not possible. */
function watchAll(folders: readonly string[], changed: () => void): readonly FSWatcher[] {
  const opened: FSWatcher[] = []
  try {
    for (const folder of folders) {
      const watched = lstatSync(folder, { throwIfNoEntry: false }) ? folder : dirname(folder)
      if (!LOCAL.has(statfsSync(watched).type)) throw new Error(`others may change ${watched}`)
      opened.push(watch(watched, { persistent: false }, changed).on('error', changed))
    }
    return opened
  } catch {
    for (const watcher of opened) watcher.close()
    return []
  }
}

/** A change of what a link leads to, or by another name of the same file, is not reported where the link is. */
function isReported(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found === undefined || found.isDirectory() || (found.isFile() && found.nlink === 1)
}

/** `statfs` types of file systems that only this machine changes: ext, XFS, Btrfs, F2FS, ZFS, tmpfs, overlayfs. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef_53, 0x58_46_53_42, 0x91_23_68_3e, 0xf2_f5_20_10, 0x2f_c1_2f_c1, 0x01_02_19_94, 0x79_4c_76_30,
])
