import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { linuxMounts, macMounts, remoteFileSystem } from './file-system.ts'

const mountinfo = `\
27 1 254:0 / / rw,relatime - overlay overlay rw,lowerdir=/a
22 27 0:21 / /proc rw,relatime - proc proc rw
40 27 0:50 / /net rw,relatime shared:5 - autofs systemd-1 rw,fd=29
41 40 0:51 / /net rw,relatime shared:6 master:1 - nfs4 server:/x rw,vers=4.2
42 27 0:52 / /mnt/two\\040words rw - fuse.sshfs me@there: rw
43 27 0:53 / /mnt/c rw - 9p drvfs rw,aname=drvfs
44 41 8:1 / /net/disk rw - ext4 /dev/sda1 rw
45 27 0:54 / /mnt/ntfs rw - fuseblk /dev/sdb1 rw
46 27 0:55 / /share rw - cifs //server/share rw
`

test('the nearest mount of a path says whether other machines reach it, on Linux', () => {
  const kind = (path: string) => remoteFileSystem(path, () => linuxMounts(mountinfo))
  assert.equal(kind('/'), undefined)
  assert.equal(kind('/home-of-nobody/.foreword'), undefined)
  assert.deepEqual(kind('/net/nobody/.foreword'), { kind: 'network', type: 'nfs4' })
  assert.equal(kind('/net/disk/.foreword'), undefined)
  assert.equal(kind('/network'), undefined)
  assert.deepEqual(kind('/mnt/two words/a'), { kind: 'network', type: 'fuse.sshfs' })
  assert.deepEqual(kind('/share'), { kind: 'network', type: 'cifs' })
  assert.deepEqual(kind('/mnt/c/Users'), { kind: 'shared', type: '9p' })
  assert.equal(kind('/mnt/ntfs/a'), undefined)
})

test('and on macOS', () => {
  const text = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
//me@server/a%20share on /Volumes/a share (smbfs, nodev, nosuid, mounted by me)
server:/x on /Volumes/x (nfs, asynchronous)
`
  const kind = (path: string) => remoteFileSystem(path, () => macMounts(text))
  assert.equal(kind('/Users/me'), undefined)
  assert.deepEqual(kind('/Volumes/a share/home'), { kind: 'network', type: 'smbfs' })
  assert.deepEqual(kind('/Volumes/x'), { kind: 'network', type: 'nfs' })
})

test('a link counts as what it leads to, and what nobody knows is no network', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-mounts-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const link = join(folder, 'link')
  symlinkSync('/', link)
  const mounts = [
    { folder: '/', type: 'nfs' },
    { folder, type: 'ext4' },
  ]
  assert.equal(
    remoteFileSystem(join(folder, 'home'), () => mounts),
    undefined,
  )
  assert.deepEqual(
    remoteFileSystem(join(link, 'home'), () => mounts),
    { kind: 'network', type: 'nfs' },
  )
  assert.equal(
    remoteFileSystem(folder, () => []),
    undefined,
  )
  // This machine can be read, whatever it says.
  remoteFileSystem(folder)
})
