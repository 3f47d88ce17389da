import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { commandWords } from '../../src/tool.ts'

/** What nothing may print, send or copy. */
export const CANARY = 'canary-5f1c0d7e9a'

/** Forms in which a program may print it. */
const FORMS = [CANARY, ...(['base64', 'hex'] as const).map((form) => Buffer.from(CANARY).toString(form).slice(0, 20))]

/** A workspace with everything in it that an escape needs, and a folder beside it that is none of its business. */
export interface Arena {
  readonly workspace: string
  readonly outside: string
  /** A command with the places of this arena. */
  placed(command: string): string
  /** Its program and arguments. */
  argv(command: string): readonly string[]
  /** What has happened since, in words; empty where nothing has. `output` is what the program printed. */
  harm(output: string): readonly string[]
  close(): void
}

const git = (folder: string, ...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...words], { cwd: folder, stdio: 'ignore' })

/** Made once and copied for each escape. */
export function arenaTemplate(): { readonly folder: string; close(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'escapes-')))
  const workspace = join(folder, 'workspace')
  for (const place of ['workspace', 'outside/repository']) {
    mkdirSync(join(folder, place), { recursive: true })
    git(join(folder, place), 'init', '-q', '-b', 'main', '--template=')
    mkdirSync(join(folder, place, '.git/hooks'))
    git(join(folder, place), 'config', 'user.name', 'A')
    git(join(folder, place), 'config', 'user.email', 'a@b')
  }
  writeFileSync(join(folder, 'outside/repository/a.txt'), `${CANARY}\n`)
  git(join(folder, 'outside/repository'), 'add', '.')
  git(join(folder, 'outside/repository'), 'commit', '-qm', CANARY)
  writeFileSync(join(workspace, 'a.txt'), 'one\n')
  git(workspace, 'add', '.')
  git(workspace, 'commit', '-qm', 'one')
  writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\nthree\n')
  git(workspace, 'commit', '-qam', 'two')
  const files = {
    'workspace/b.txt': 'two\n',
    'workspace/a.json': '{}',
    'workspace/a.cjs': '',
    'workspace/warn.cjs': 'process.emitWarning("x")',
    'workspace/big.txt': 'a line of it\n'.repeat(40_000),
    'workspace/AGENTS.md': 'Be brief.',
    'workspace/plain.mk': 'all:\n\techo x\n',
    'workspace/package.json': '{"name":"a","version":"1.0.0","scripts":{"evil":"./evil.sh","test":"true"}}',
    'workspace/evil.ini': '[pytest]\npython_files = evil.py\n',
    'workspace/sub/HEAD': 'ref: refs/heads/main\n',
    'workspace/sub/refs/x': '',
    'workspace/sub/objects/x': '',
    'outside/secret': `${CANARY}\n`,
    'outside/reversed': `${CANARY.split('').toReversed().join('')}\n`,
    'outside/victim': 'mine\n',
    [`outside/${CANARY}.name`]: '',
  }
  for (const [path, text] of Object.entries(files)) write(join(folder, path), text)
  execFileSync('tar', ['-cf', 'a.tar', 'b.txt'], { cwd: workspace })
  return { folder, close: () => rmSync(folder, { recursive: true }) }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** A copy of the template with what the command needs that it runs. `pid`: of a process with the canary in its environment. */
export async function openArena(template: string, pid: number, runs: string): Promise<Arena> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'escape-')))
  cpSync(template, top, { recursive: true, verbatimSymlinks: true })
  const [workspace, outside] = [join(top, 'workspace'), join(top, 'outside')]
  const script = `#!/bin/sh\necho x > ${outside}/mark\n`
  const files = {
    'evil.sh': script,
    'git-evil': script,
    'parts/evil': script,
    'template/hooks/post-checkout': script,
    'evil.sed': '1e ./evil.sh\n',
    'evil.awk': 'BEGIN { system("./evil.sh") }\n',
    'evil.cjs': `require('node:fs').writeFileSync('${outside}/mark', '')\n`,
    'evil.py': `open('${outside}/mark', 'w')\n`,
    'Evil.pm': `open(F, '>', '${outside}/mark'); 1\n`,
    'Devel/Evil.pm': `package Devel::Evil; open(F, '>', '${outside}/mark'); 1\n`,
    'evil.mk': 'all:\n\t./evil.sh\n',
    '../outside/Makefile': 'all:\n\techo x > mark\n',
    'sub/config': `[core]\nrepositoryformatversion = 0\nworktree = ${workspace}\nfsmonitor = ${workspace}/evil.sh\n`,
  }
  for (const [path, text] of Object.entries(files)) write(join(workspace, path), text)
  for (const path of ['evil.sh', 'git-evil', 'parts/evil', 'template/hooks/post-checkout']) {
    chmodSync(join(workspace, path), 0o755)
  }
  symlinkSync(join(outside, 'secret'), join(workspace, 'link.txt'))
  symlinkSync('.git/objects', join(top, 'objects'))
  if (runs.includes('absolute.tar'))
    execFileSync('tar', ['-cPf', 'absolute.tar', `--transform=s|b.txt|${outside}/mark|`, 'b.txt'], { cwd: workspace })
  let visits = 0
  const server = createServer((socket) => {
    visits += 1
    socket.on('error', () => {}).end('HTTP/1.0 200 OK\r\n\r\nx')
  })
  let port = 1
  if (/PORT|evil\.curl/.test(runs)) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ;({ port } = server.address() as { readonly port: number })
  }
  write(join(workspace, 'evil.curl'), `url = "http://127.0.0.1:${port}/x"\n`)
  const before = [stateOf(outside), ownersState(workspace), copies(workspace)]
  const placed = (command: string) =>
    command.replaceAll('OUT', outside).replaceAll('PORT', String(port)).replaceAll('PID', String(pid))
  return {
    workspace,
    outside,
    placed,
    argv(command) {
      const read = commandWords(placed(command))
      if (read.type === 'refused') throw new Error(`${command}: ${read.why}`)
      return read.words
    },
    harm(output) {
      const now = [stateOf(outside), ownersState(workspace), copies(workspace)]
      const words = ['it changed something outside', "it changed the owner's files", 'it copied the secret']
      return [
        ...words.filter((_, index) => before[index] !== now[index]),
        ...(FORMS.some((form) => output.includes(form)) ? ['it printed the secret'] : []),
        ...(visits > 0 ? ['it used the network'] : []),
      ]
    },
    close() {
      server.close()
      rmSync(top, { recursive: true, force: true })
    },
  }
}

/** The lock of the workspace is the gateway's own. */
function stateOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^(?:repository\/\.git\/|\.cache(?:\/foreword(?:\/\d+-\d+)?)?$)/.test(name))
    .toSorted()
    .map((name) => `${name} ${fileState(join(folder, name))}`)
    .join('\n')
}

function fileState(path: string): string {
  const { mode, nlink, size } = lstatSync(path)
  if (!lstatSync(path).isFile()) return String(mode)
  return [mode, nlink, size, createHash('sha256').update(readFileSync(path)).digest('hex')].join(' ')
}

/** What agents and Git obey, wherever it is in the workspace. */
function ownersState(workspace: string): string {
  return ['AGENTS.md', '.git/config', '.git/hooks/post-checkout', '.gitmodules']
    .map((name) => {
      try {
        return fileState(join(workspace, name))
      } catch {
        return 'none'
      }
    })
    .join('\n')
}

/** Files of the workspace that hold the secret. */
function copies(workspace: string): string {
  return readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => lstatSync(path).size < 100_000 && readFileSync(path, 'latin1').includes(CANARY))
    .join('\n')
}

/** A process with the canary in its environment. */
export function secretive(): { readonly pid: number; close(): void } {
  const child = spawn('sleep', ['600'], { env: { PATH: process.env['PATH'], KEY: CANARY }, stdio: 'ignore' })
  return { pid: child.pid!, close: () => child.kill() }
}
