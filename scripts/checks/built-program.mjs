// Writes the program over the bundle of its source into a folder, with links to what is published beside it. A gateway is started
// and ended once, with the flags of the test processes: it keeps its compiled code at its end, and those of tests that are killed
// keep none.
//
//   node scripts/checks/built-program.mjs FOLDER FLAG …
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle } from '../bundle.mjs'

const root = dirname(dirname(import.meta.dirname))
const [folder, ...flags] = process.argv.slice(2)

cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
for (const name of ['package.json', 'assets', 'docs', 'examples', 'schema', 'web', 'node_modules'])
  symlinkSync(join(root, name), join(folder, name))
await bundle(join(folder, 'dist'))

const home = join(folder, 'first-home')
mkdirSync(home, { mode: 0o700 })
writeFileSync(join(home, 'config.json'), JSON.stringify({ model: 'rehearsal', gateway: { port: 0 } }), { mode: 0o600 })
const words = [...flags, join(folder, 'bin', 'foreword.js'), 'start', '--json', '--home', home]
const gateway = spawn(process.execPath, words, {
  env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = once(gateway, 'close')
await Promise.race([once(gateway.stdout, 'data'), ended])
gateway.kill('SIGTERM')
const [code] = await ended
rmSync(home, { recursive: true })
if (code !== 0) throw new Error(`the first start of the built program ended with ${code}`)
