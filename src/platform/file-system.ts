import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'

/** A file system, and where it is mounted. */
export interface Mount {
  readonly folder: string
  /** As the system names it, such as `ext4`, `nfs4` or `fuse.sshfs`. */
  readonly type: string
}

/** The mounts of this machine, a later one above earlier ones of the same folder. Empty where they cannot be read. */
export type ReadMounts = () => readonly Mount[]

/**
 * Whether other machines reach the same files. `network`: they do, and locks and shared memory do not work between them. `shared`: a
 * folder of the host of this virtual machine, which is safe while only one of them uses it. `undefined`: a disk of this machine, or
 * nobody knows.
 */
export function remoteFileSystem(
  path: string,
  readMounts: ReadMounts = mountsOfSystem,
): { readonly kind: 'network' | 'shared'; readonly type: string } | undefined {
  const folder = realFolder(path)
  const isOn = (mount: Mount) =>
    mount.folder === '/' || folder === mount.folder || folder.startsWith(`${mount.folder}/`)
  const longest = readMounts()
    .filter(isOn)
    .reduce<Mount | undefined>(
      (best, mount) => (best && best.folder.length > mount.folder.length ? best : mount),
      undefined,
    )
  const type = longest?.type ?? ''
  if (NETWORK.test(type)) return { kind: 'network', type }
  return SHARED.test(type) ? { kind: 'shared', type } : undefined
}

/** Names of Linux and of macOS. */
const NETWORK =
  /^(?:nfs\d?|cifs|smb\d?|smbfs|afpfs|afs|ceph|lustre|gpfs|beegfs|orangefs|pvfs2|glusterfs|coda|webdav|davfs|fuse\.(?:sshfs|glusterfs|ceph|ceph-fuse|s3fs|mount-s3|goofys|rclone|davfs2?|gcsfuse|blobfuse2?|juicefs|mfs|seaweedfs|curlftpfs|smbnetfs|nfs.*))$/

const SHARED = /^(?:9p|virtiofs|vboxsf|prl_fs|vmhgfs|fuse\.(?:vmhgfs-fuse|grpcfuse|osxfs))$/

/** A path without links, as far as it exists. */
function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realFolder(dirname(path)), basename(path))
  }
}

function mountsOfSystem(): readonly Mount[] {
  try {
    if (process.platform === 'linux') return linuxMounts(readFileSync('/proc/self/mountinfo', 'utf8'))
    if (process.platform === 'darwin')
      return macMounts(execFileSync('/sbin/mount', { encoding: 'utf8', timeout: 5_000 }))
  } catch {
    // A sandbox without /proc, for example. What is not known is not refused.
  }
  return []
}

/** Reads `/proc/self/mountinfo`. */
export function linuxMounts(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, folder, type] = /^(?:\S+ ){4}(\S+) .*? - (\S+) /.exec(line) ?? []
    if (folder === undefined || type === undefined) return []
    const plain = folder.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    )
    return [{ folder: plain, type }]
  })
}

/** Reads what `mount` prints on macOS. */
export function macMounts(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, folder, type] = /^.* on (\/.*) \(([^,)]+)/.exec(line) ?? []
    return folder === undefined || type === undefined ? [] : [{ folder, type }]
  })
}

/** Whether a resolved path is a resolved folder or is in it. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** A name as a file system has it that tells no case and no composed characters apart: names that are the same there are equal. */
export function foldCase(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** The bytes of an open file from a place on: `most` of them, or as many as there are. A read may bring fewer than it was asked for. */
export async function bytesFrom(file: FileHandle, most: number, from = 0): Promise<Buffer> {
  const buffer = Buffer.alloc(most)
  let filled = 0
  while (filled < most) {
    const { bytesRead } = await file.read(buffer, filled, most - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
