// Builds the documentation as a site with search: `npm run docs:site` writes site/dist, which any web server can serve.
// What builds it is installed in site/ when this runs, so that nobody else needs it.
//
//   npm run docs:site              builds the site
//   npm run docs:site -- --serve   builds it, then serves it on this machine until Ctrl-C
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npmProgram } from './npm-program.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const site = join(root, 'site')
const pages = join(site, 'pages')
/** Pages beside docs/, by their place in the checkout and on the site. */
const beside = {
  'README.md': 'index.md',
  'SECURITY.md': 'SECURITY.md',
  'CHANGELOG.md': 'CHANGELOG.md',
  'bench/README.md': 'benches.md',
}

if (!existsSync(join(site, 'node_modules', 'vitepress'))) {
  const { file, words, shell } = npmProgram()
  run(file, [...words, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { shell })
}
layPages()
const vitepress = [join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js')]
run(process.execPath, [...vitepress, 'build'])
process.stderr.write(`The site is in ${join('site', 'dist')}.\n`)
if (process.argv.includes('--serve')) run(process.execPath, [...vitepress, 'preview', '--host', '127.0.0.1'])

/** Copies the pages, with links that fit their places on the site. A link to a file that is no page becomes its text. */
function layPages() {
  rmSync(pages, { recursive: true, force: true })
  cpSync(join(root, 'docs'), pages, { recursive: true })
  rmSync(join(pages, 'decisions'), { recursive: true })
  for (const file of readdirSync(pages, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.md')) write(file, `docs/${file}`, readFileSync(join(pages, file), 'utf8'))
  }
  for (const [from, to] of Object.entries(beside)) write(to, from, readFileSync(join(root, from), 'utf8'))
}

function write(page, source, text) {
  const relative = (path) => {
    const way = posix.relative(posix.dirname(page), path)
    return way.startsWith('.') ? way : `./${way}`
  }
  const linked = text
    .replaceAll(
      /(?<!!)\[((?:[^[\]`]|`[^`]*`)+)\]\((?!\w+:|#)([^()\s]+?)(#[^()\s]*)?\)/g,
      (link, words, path, part = '') => {
        const place = placeOf(posix.join(posix.dirname(source), path))
        return place === undefined ? words : `[${words}](${relative(place)}${part})`
      },
    )
    .replaceAll(/(?<=\]\(|src="|srcset=")docs\/(?=pictures\/)/g, relative('x').slice(0, -1))
  writeFileSync(join(pages, page), linked)
}

function placeOf(path) {
  if (path in beside) return beside[path]
  return path.startsWith('docs/') && existsSync(join(pages, path.slice(5))) ? path.slice(5) : undefined
}

function run(file, words, options = {}) {
  const { status } = spawnSync(file, words, { cwd: site, stdio: ['ignore', 2, 2], ...options })
  if (status === 0) return
  process.stderr.write(`docs:site: ${words.at(-1)} ended with exit code ${status}; its messages stand above.\n`)
  process.exit(1)
}
