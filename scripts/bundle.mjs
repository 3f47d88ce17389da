// Bundles the source with the packages that it uses into dist/: one file for each entry point of package.json, for the command
// line, and for each thread and program of its own; what they share, and what is loaded late, is in dist/chunks/.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const source = join(root, 'src')

/** What `bin/foreword.js` loads. */
const commandLine = ['cli/main', 'foreword/overview']

/**
 * What is loaded together is in one file, since each file costs a start. The first group has what every command needs, the second
 * what a command needs beside a running gateway, the third what a start needs, also a moment later; each has what its modules
 * import. `room name` is the module of what the door of a room exports. `npm run counts` tells how many files a start loads: a
 * module that it loads late and that is missing here is a file of its own.
 */
const together = [
  { name: 'line', roots: ['cli/main', 'cli/help', 'runtime/configured-capabilities'] },
  { name: 'client', roots: ['cli/command/send', 'cli/connection', 'session readClaim', 'runtime readToken'] },
  {
    name: 'gateway',
    roots: [
      'cli/command/start',
      'cli/gateway',
      'foreword/built-in',
      'session/sqlite/open-sqlite-store',
      'runtime openRuntime',
      'runtime loadConfiguration',
      'runtime configurationWarnings',
      'runtime completeRestore',
      'runtime createHome',
      'runtime createWorkspace',
      'runtime homeWarning',
      'runtime openGatewayHomes',
      'runtime openGatewayTokens',
      'server createServer',
      'server entranceOptions',
      'server hostedOptions',
      'server listen',
      'server recordRoutes',
      'server assertBindIsSafe',
      'session claimHome',
      'search openRecallIndex',
      'model createModels',
      'document createDocumentReader',
      'tool readText',
      'tool confineNode',
      'capability/toolkit pinnedFile',
      'capability/toolkit readerWithin',
      ...capabilityParts({
        agents: ['agent-record', 'http/agent-routes'],
        'ai-sdk-chat': ['http/chat-routes'],
        'anthropic-api': ['http/anthropic-routes'],
        'audit-records': ['http/audit-routes'],
        backup: ['backup-service', 'http/backup-routes'],
        budgets: ['http/budget-routes'],
        costs: ['open-costs', 'http/cost-routes'],
        files: ['file-service', 'turn-files', 'http/file-routes'],
        'mcp-client': ['mcp-service', 'http/server-routes'],
        memory: ['core/memory', 'http/memory-routes'],
        'openai-api': ['http/openai-routes', 'responses/kept-responses', 'responses/response-routes'],
        persona: ['open-persona'],
        prompt: ['edited-prompt', 'http/prompt-routes'],
        rehearsal: ['rehearsal-model'],
        relay: ['open-relay'],
        schedules: ['open-schedules', 'http/schedule-routes'],
        shell: ['shell-tool'],
        skills: ['open-skills', 'pinned-skills', 'skills-tools', 'http/skill-routes', 'folder/load-skills'],
        subjects: ['subject-service', 'http/subject-routes'],
        'web-access': ['web-tools'],
        workspace: ['workspace-block'],
      }),
    ],
  },
]

function capabilityParts(parts) {
  return Object.entries(parts).flatMap(([name, files]) => files.map((file) => `capabilities/${name}/${file}`))
}

/** Writes the bundle into a folder, and returns the folders of the packages whose code is in it. */
export async function bundle(folder) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const named = Object.values(exports).flatMap((door) => door['foreword-source'] ?? [])
  const stems = [...named.map((path) => path.slice('./src/'.length, -'.ts'.length)), ...commandLine]
  /** @type {Set<string>} */
  const packages = new Set()
  const build = await rolldown({
    cwd: root,
    preserveEntrySignatures: 'allow-extension',
    checks: { ineffectiveDynamicImport: false },
    input: Object.fromEntries(stems.map((stem) => [stem, fileOf(stem)])),
    platform: 'node',
    resolve: {
      conditionNames: ['foreword-source', 'node', 'default'],
      // `main` of some packages is a format that no bundler can follow.
      mainFields: ['module', 'main'],
      // Names of files are in the bundle, and are to be the same wherever it is made.
      symlinks: false,
    },
    plugins: [withoutDoors(), partsAtOnce(), placeOfSource(), inAscii()],
  })
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [...groupsOf(together), { name: 'languages', test: /@orama/ }],
    },
  })
  await build.close()
  for (const { moduleIds = [] } of output) {
    for (const id of moduleIds) {
      const [, found] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id) ?? []
      if (found !== undefined) packages.add(found)
    }
  }
  return [...packages].toSorted()
}

/** Writes the core alone into a folder, as `context.js`: it uses no file, nothing of Node and one package, `tokenx`. */
export async function bundleContext(folder) {
  const build = await rolldown({ cwd: root, input: fileOf('context'), external: ['tokenx'], platform: 'neutral' })
  await build.write({
    dir: folder,
    entryFileNames: 'context.js',
    comments: { legal: true, annotation: false, jsdoc: false },
  })
  await build.close()
}

function fileOf(stem) {
  return join(source, `${stem}.ts`)
}

function moduleOf(part) {
  const [stem, name] = part.split(' ')
  const file = name === undefined ? fileOf(stem) : originOf(fileOf(stem), name).file
  if (existsSync(file)) return file
  throw new Error(`the bundle keeps ${part} together with others, and there is no ${file}`)
}

/** Groups of modules: each has what its roots import at once, without what an earlier one has. */
function groupsOf(wanted) {
  let groupOf
  const order = wanted.map(({ name }) => name)
  const find = (context) => {
    const found = new Map()
    for (const { name, roots } of wanted) {
      const open = roots.map(moduleOf)
      for (let id = open.pop(); id !== undefined; id = open.pop()) {
        if (found.has(id)) continue
        found.set(id, name)
        open.push(...(context.getModuleInfo(id)?.importedIds ?? []))
      }
    }
    return found
  }
  return wanted.map(({ name }) => ({
    debugName: name,
    name: (id, context) => {
      groupOf ??= find(context)
      const parts = id.startsWith(FROM_DOOR) ? context.getModuleInfo(id).importedIds : [id]
      const groups = parts.map((part) => order.indexOf(groupOf.get(part)))
      return groups.includes(-1) ? null : order[Math.max(...groups)] === name ? name : null
    },
  }))
}

const FROM_DOOR = '\0from-door:'

/**
 * A module imports what it uses from the file that has it, not through the door of its room: a door imports the whole room, and
 * with it what nobody needs yet.
 */
function withoutDoors() {
  return {
    name: 'without-doors',
    resolveId: (id) => (id.startsWith(FROM_DOOR) ? id : undefined),
    load(id) {
      if (!id.startsWith(FROM_DOOR)) return undefined
      const [door, names] = id.slice(FROM_DOOR.length).split('?')
      return names
        .split(',')
        .map((name) => `export ${fromClause(door, name, name)}`)
        .join('\n')
    },
    transform(code, id) {
      if (!isSource(id)) return undefined
      const edits = []
      for (const node of walk(parseAst(code, { lang: 'ts' }, id))) {
        if (node.type === 'ImportDeclaration' && node.importKind !== 'type') {
          const door = doorOf(id, node.source)
          const names = node.specifiers.filter(({ importKind }) => importKind !== 'type')
          if (!door || names.some(({ type }) => type !== 'ImportSpecifier')) continue
          const lines = names.map(({ imported, local }) => `import ${fromClause(door, imported.name, local.name)}`)
          edits.push([node, lines.join(';')])
        }
        for (const [imported, pattern] of lateImports(node)) {
          const door = doorOf(id, imported.source)
          if (!door || !pattern) continue
          edits.push([imported.source, JSON.stringify(`${FROM_DOOR}${door}?${pattern.toSorted().join(',')}`)])
        }
      }
      if (edits.length === 0) return undefined
      let text = code
      for (const [{ start, end }, written] of edits.toSorted(([one], [other]) => other.start - one.start))
        text = text.slice(0, start) + written + text.slice(end)
      return text
    },
  }
}

/**
 * A capability loads its parts when they are asked for. Those that a start asks for are in the file of the capability: it imports
 * them at once, since a late import of a part would be a file of its own that only names the part.
 */
function partsAtOnce() {
  const parts = new Set(together.flatMap(({ roots }) => roots).filter((part) => part.startsWith('capabilities/')))
  const isPart = (file) => parts.has(relative(source, file).split(sep).join('/').replace(/\.ts$/, ''))
  return {
    name: 'parts-at-once',
    transform(code, id) {
      if (!isSource(id)) return undefined
      const found = [...walk(parseAst(code, { lang: 'ts' }, id))].filter(
        ({ type, source: from }) =>
          type === 'ImportExpression' && typeof from.value === 'string' && isPart(resolve(dirname(id), from.value)),
      )
      if (found.length === 0) return undefined
      let text = code
      for (const [index, { start, end }] of [...found.entries()].toReversed())
        text = `${text.slice(0, start)}Promise.resolve(__part${index})${text.slice(end)}`
      const imports = found.map(
        ({ source: from }, index) => `import * as __part${index} from ${JSON.stringify(from.value)}`,
      )
      return `${imports.join(';')};${text}`
    },
  }
}

/** `{ name as local } from 'FILE'`, where FILE declares the name that a door exports. */
function fromClause(door, name, local) {
  const origin = originOf(door, name)
  return `{ ${origin.name} as ${local} } from ${JSON.stringify(origin.file)}`
}

function originOf(file, name) {
  const found = doors(file)?.get(name)
  return found === undefined ? { file, name } : originOf(found.file, found.name)
}

/** Calls of `import` with the names that are taken of each: `const { a } = await import('…')`, `(await import('…')).a`, and several with `Promise.all`. */
function lateImports(node) {
  if (node.type === 'MemberExpression' && !node.computed && isLate(node.object))
    return [[node.object.argument, [node.property.name]]]
  if (node.type !== 'VariableDeclarator' || node.init?.type !== 'AwaitExpression') return []
  if (isLate(node.init)) return [[node.init.argument, namesOf(node.id)]]
  const { callee, arguments: [list] = [] } = node.init.argument
  if (callee?.property?.name !== 'all' || list?.type !== 'ArrayExpression' || node.id.type !== 'ArrayPattern') return []
  return list.elements.flatMap((each, at) =>
    each?.type === 'ImportExpression' ? [[each, namesOf(node.id.elements[at])]] : [],
  )
}

function isLate(node) {
  return node.type === 'AwaitExpression' && node.argument.type === 'ImportExpression'
}

function namesOf(pattern) {
  if (pattern?.type !== 'ObjectPattern') return undefined
  const names = pattern.properties.map(({ type, key }) => (type === 'Property' ? key.name : undefined))
  return names.includes(undefined) ? undefined : names
}

function doorOf(importer, { value }) {
  if (typeof value !== 'string' || !value.startsWith('.')) return undefined
  const file = resolve(dirname(importer), value)
  return doors(file) ? file : undefined
}

const knownDoors = new Map()

/** The names that a file of nothing but re-exports gives, each with the file and the name that it is from; `undefined` for another file. */
function doors(file) {
  if (!knownDoors.has(file)) knownDoors.set(file, isSource(file) && existsSync(file) ? readDoor(file) : undefined)
  return knownDoors.get(file)
}

function readDoor(file) {
  const names = new Map()
  for (const node of parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }, file).body) {
    if (node.type !== 'ExportNamedDeclaration' || !node.source?.value.startsWith('.')) return undefined
    const from = resolve(dirname(file), node.source.value)
    for (const { exported, local } of node.specifiers) names.set(exported.name, { file: from, name: local.name })
  }
  return names
}

function* walk(node) {
  if (Array.isArray(node)) for (const each of node) yield* walk(each)
  else if (typeof node?.type === 'string') {
    yield node
    for (const key of Object.keys(node)) if (typeof node[key] === 'object') yield* walk(node[key])
  }
}

function isSource(id) {
  return id.startsWith(source + sep) && id.endsWith('.ts')
}

/**
 * `import.meta.url` is the address that a file of the source would have in dist/ if each were compiled alone, so that what it
 * finds beside itself, or above, is there. Threads and programs, `new URL('./NAME.ts', import.meta.url)`, become files of dist/.
 */
function placeOfSource() {
  return {
    name: 'place-of-source',
    transform(code, id) {
      if (!isSource(id) || !code.includes('import.meta.')) return undefined
      const path = relative(source, id).split(sep).join('/').replace(/\.ts$/, '.js')
      for (const [, program] of code.matchAll(/new URL\('(\.\/[^']+\.ts)', import\.meta\.url\)/g)) {
        const file = resolve(dirname(id), program)
        const fileName = relative(source, file).split(sep).join('/').replace(/\.ts$/, '.js')
        this.emitFile({ type: 'chunk', id: file, fileName })
      }
      return code
        .replaceAll('import.meta.url', `${PLACE}(${JSON.stringify(path)}).href`)
        .replaceAll(
          'import.meta.dirname',
          `process.getBuiltinModule('node:url').fileURLToPath(${PLACE}(${JSON.stringify(dirname(path))}))`,
        )
    },
    renderChunk(code, { fileName }) {
      if (!code.includes(`${PLACE}(`)) return undefined
      const up = '../'.repeat(fileName.split('/').length - 1) || './'
      return `const ${PLACE} = (path) => new URL(${JSON.stringify(up)} + path, import.meta.url);\n${code}`
    },
  }
}

const PLACE = '__placeOfSource'

/** Escapes all other characters, which stand only in texts and patterns: Node reads such a file twice as fast, and keeps half as many bytes of it. */
function inAscii() {
  return {
    name: 'in-ascii',
    renderChunk: (code) =>
      code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  }
}
