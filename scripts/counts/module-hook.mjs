// Loaded into a command with `--import`: writes the files that it has loaded to the file LOADED_FILE when it ends, one a line.
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loaded = []

registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) loaded.push(url)
    return next(url, context)
  },
})
process.on('exit', () => writeFileSync(process.env.LOADED_FILE, loaded.join('\n')))
