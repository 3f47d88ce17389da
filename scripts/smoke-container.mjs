import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** What the files may add to the base of an image, bytes. */
const LARGEST = 120e6

/**
 * Runs the file tree of `deploy/Containerfile` as its image would, without an image: the archive is unpacked and nothing
 * installed, all but the volume is read-only, there is no other process to be seen, and the user is the one of the file.
 * Resolves with what was seen, or why it was left out. Rejects where the gateway is not healthy within half a minute, says
 * its token, or does not end by a signal.
 *
 * @param {string} tarball
 * @param {string} folder
 */
export async function checkContainer(tarball, folder) {
  if (spawnSync('bwrap', ['--version']).status !== 0) return 'there is no bubblewrap here to try the container'
  const tree = join(folder, 'container', 'opt')
  const volume = join(folder, 'container', 'volume')
  for (const each of [tree, volume]) mkdirSync(each, { recursive: true, mode: 0o700 })
  const { status, stderr } = spawnSync('tar', ['-xzf', tarball, '-C', tree], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`tar: ${stderr}`)
  const bytes = folderBytes(tree)
  if (bytes > LARGEST) throw new Error(`the files of the image have ${bytes} bytes, more than ${LARGEST}`)

  const { user, environment, entry, command, health } = instructions()
  const port = String(await freePort())
  const variables = Object.entries({ ...environment, FOREWORD_GATEWAY_PORT: port, PATH: '/opt/bin:/usr/bin:/bin' })
  const walls =
    '--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /opt --tmpfs /home --symlink /opt/foreword/package/bin/foreword.js ' +
    `/opt/bin/foreword --unshare-all --share-net --uid ${user} --gid ${user} --die-with-parent --as-pid-1 --clearenv`
  const inside = (/** @type {readonly string[]} */ words) =>
    walls
      .split(' ')
      .concat('--ro-bind', process.execPath, '/opt/bin/node', '--ro-bind', tree, '/opt/foreword')
      .concat('--bind', volume, '/home/foreword', '--chdir', '/home/foreword')
      .concat(variables.flatMap(([name, value]) => ['--setenv', name, value]))
      .concat('--', words)
  const run = (/** @type {readonly string[]} */ ...words) => spawnSync('bwrap', inside(words), { encoding: 'utf8' })
  const gateway = spawn('bwrap', inside([...entry, ...command]), { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [gateway.stdout, gateway.stderr])
    stream.setEncoding('utf8').on('data', (piece) => (text += piece))
  const ended = new Promise((resolve) => gateway.once('close', resolve))
  try {
    for (const end = Date.now() + 30_000; run(...health.map((word) => word.replace('4141', port))).status !== 0;) {
      if (Date.now() > end) throw new Error(`the container is not healthy. It printed:\n${text}`)
      await sleep(200)
    }
    const token = new URL(run(...entry, 'token').stdout.trim()).searchParams.get('token') ?? ''
    if (token === '') throw new Error('`foreword token` printed none')
    const { stdout } = run(...entry, 'send', '/say From the container.')
    if (!stdout.includes('From the container.')) throw new Error(`a message was answered with ${stdout}`)
    // bwrap passes no signal on. Its child is the first process of the container.
    const child = readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, 'utf8').trim()
    process.kill(Number(child), 'SIGTERM')
    const code = await Promise.race([ended, sleep(20_000, 'none within 20 seconds', { ref: false })])
    if (text.includes(token)) throw new Error(`the container printed its token:\n${text}`)
    if (code !== 0) throw new Error(`after SIGTERM the exit code is ${code}. The container printed:\n${text}`)
  } finally {
    gateway.kill('SIGKILL')
  }
  return `a container of ${Math.round(bytes / 1e6)} MB runs as user ${user}, is healthy and answers`
}

/** What the image says of its process. */
function instructions() {
  const lines = readFileSync(join(root, 'deploy', 'Containerfile'), 'utf8').split('\n')
  const after = (/** @type {string} */ word) =>
    lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? ''
  const words = (/** @type {string} */ text) => /** @type {string[]} */ (JSON.parse(/\[.*\]/.exec(text)?.[0] ?? '[]'))
  return {
    user: after('USER').split(':')[0],
    environment: Object.fromEntries(
      after('ENV')
        .split(' ')
        .map((pair) => pair.split('=')),
    ),
    entry: words(after('ENTRYPOINT')),
    command: words(after('CMD')),
    health: words(after('HEALTHCHECK')),
  }
}

export function folderBytes(/** @type {string} */ path) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
