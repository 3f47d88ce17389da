// Writes the program over the bundle of its source into a folder, with links to what is published beside it.
//
//   node scripts/checks/built-program.mjs FOLDER
import { cpSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle } from '../bundle.mjs'

const root = dirname(dirname(import.meta.dirname))
const [folder] = process.argv.slice(2)

cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
for (const name of ['package.json', 'assets', 'docs', 'examples', 'schema', 'web', 'node_modules'])
  symlinkSync(join(root, name), join(folder, name))
await bundle(join(folder, 'dist'))
