import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A workspace to break out of. Absolute paths, links resolved. */
export interface Traps {
  /** Holds all the others. */
  readonly top: string
  readonly workspace: string
  readonly outside: string
  /** Folder of a skill with tools. */
  readonly skill: string
  remove(): Promise<void>
}

/** What no answer may hold: text of files outside the workspace, and a key of the environment. */
export const secrets = { file: 'canary-of-the-file-outside', key: 'canary-of-the-environment' } as const

/** Lays out everything that test/bypass/README.md names. */
export async function layTraps(): Promise<Traps> {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'bypass-')))
  const [workspace, outside, evil] = ['workspace', 'outside', 'workspace-evil'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [outside, evil]) {
    await mkdir(folder)
    await writeFile(join(folder, 'secret.txt'), `${secrets.file}\n`)
  }
  await layWorkspace(workspace, outside)
  const skill = join(top, 'skill')
  await cp(join(import.meta.dirname, 'skill'), skill, { recursive: true })
  await symlink(join(outside, 'script'), join(skill, 'scripts/link-out'))
  await writeFile(join(outside, 'script'), '#!/bin/sh\ntouch pwned\n', { mode: 0o755 })
  return { top, workspace, outside, skill, remove: () => rm(top, { recursive: true, force: true }) }
}

async function layWorkspace(workspace: string, outside: string): Promise<void> {
  const at = (name: string) => join(workspace, name)
  await mkdir(at('inner'), { recursive: true })
  await mkdir(at('.git'))
  await writeFile(at('.git/config'), '[core]\n')
  await writeFile(at('notes.txt'), 'a note\nanother note\n')
  await writeFile(at('inner/a.txt'), 'a note inside\n')
  await writeFile(at('repeats.txt'), `${'a'.repeat(200)}!\n`)
  await writeFile(at('lines.txt'), 'a\n'.repeat(400_000))
  await writeFile(at('guide.md'), 'Be nice.\n')
  await symlink('guide.md', at('AGENTS.md'))
  await mkdir(at('shared/scripts'), { recursive: true })
  await writeFile(at('shared/SKILL.md'), 'A skill.\n')
  await mkdir(at('.agents/skills'), { recursive: true })
  await symlink('../../shared', at('.agents/skills/linked'))
  await writeFile(at('stubborn.sh'), "trap '' TERM INT HUP QUIT\necho begun\nwhile :; do sleep 1; done\n")
  await writeFile(at('env'), '#!/bin/sh\ntouch pwned\n')
  await chmod(at('env'), 0o755)
  for (const name of [
    '-rf',
    'a;touch pwned',
    '$(touch pwned)',
    'new\nline.txt',
    `quote'".txt`,
    'right\u202eto-left.txt',
  ]) {
    await writeFile(at(name), 'hostile name\n')
  }
  await symlink(outside, at('link-out'))
  await symlink(join(outside, 'secret.txt'), at('link-file'))
  await symlink(join(outside, 'new.txt'), at('link-new'))
  await symlink('inner', at('link-in'))
  await symlink('/etc/passwd', at('link-passwd'))
  execFileSync('mkfifo', [at('pipe')])
}
