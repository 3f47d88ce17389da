import { join, posix } from 'node:path'
import type { EntryPoint, PublicApi, PublicName } from './public-api.ts'
import { identifiersOf, signature } from './signature.ts'
import { SymbolFlags } from 'typescript/unstable/sync'

/** Where each public name is described: a page and a heading in it, by the id of its symbol. */
type Places = ReadonlyMap<number, { readonly page: string; readonly heading: string; readonly name: string }>

/** The reference: a page for each entry point and one that lists them, by the path in `docs/`. */
export function referencePages(api: PublicApi): ReadonlyMap<string, string> {
  const places = placesOf(api.entryPoints)
  const pages = api.entryPoints.map((entry) => [pageOf(entry), page(entry, api, places)] as const)
  return new Map([[indexPage, index(api.entryPoints)], ...pages])
}

const indexPage = 'reference/index.md'

/** `foreword/context/o200k` → `reference/context-o200k.md`; the package itself → `reference/foreword.md`. */
function pageOf({ specifier }: EntryPoint): string {
  const [name, ...subpath] = specifier.split('/')
  return `reference/${subpath.join('-') || name}.md`
}

/** A name that several entry points export is described where its file belongs, else at the first of them. */
function placesOf(entryPoints: readonly EntryPoint[]): Places {
  const places = new Map<number, { page: string; heading: string; name: string }>()
  const isHome = (entry: EntryPoint, { file }: PublicName) => file.startsWith(entry.source.replace(/\.ts$/, ''))
  for (const homesOnly of [true, false]) {
    for (const entry of entryPoints) {
      const headings = headingsOf(entry)
      for (const one of entry.names) {
        if (places.has(one.symbol.id) || (homesOnly && !isHome(entry, one))) continue
        places.set(one.symbol.id, { page: pageOf(entry), heading: headings.get(one.name)!, name: one.name })
      }
    }
  }
  return places
}

/** The anchors that Markdown renderers give to the headings of a page, by public name. */
function headingsOf(entry: EntryPoint): ReadonlyMap<string, string> {
  const taken = new Map<string, number>()
  const anchor = (heading: string): string => {
    const plain = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const count = taken.get(plain) ?? 0
    taken.set(plain, count + 1)
    return count === 0 ? plain : `${plain}-${count}`
  }
  anchor(entry.specifier)
  const anchors = new Map<string, string>()
  for (const [file, names] of byFile(entry)) {
    anchor(subjectOf(file))
    for (const { name } of names) anchors.set(name, anchor(name))
  }
  return anchors
}

function page(entry: EntryPoint, api: PublicApi, places: Places): string {
  const groups = [...byFile(entry)]
  const headings = headingsOf(entry)
  const contents = groups.map(
    ([file, names]) =>
      `- ${subjectOf(file)}: ${names.map(({ name }) => `[\`${name}\`](#${headings.get(name)!})`).join(', ')}`,
  )
  const described = groups.flatMap(([file, names]) => [
    `## ${subjectOf(file)}`,
    ...names.map((one) => description(one, pageOf(entry), api, places)),
  ])
  const opening =
    openingComment(entry, api) ||
    `${entry.names.length} names: ${groups.map(([file]) => posix.basename(subjectOf(file))).join(', ')}.`
  return `${[`# ${entry.specifier}`, opening, made, contents.join('\n'), ...described].join('\n\n')}\n`
}

const made = '_Made from the source by `npm run docs`. Everything below is public; what is not named here may change._'

function index(entryPoints: readonly EntryPoint[]): string {
  const lines = entryPoints.map(
    (entry) => `- [\`${entry.specifier}\`](${posix.basename(pageOf(entry))}): ${entry.names.length} names`,
  )
  return `# Reference\n\nEvery public name of the package, by the entry point that exports it.\n\n${made}\n\n${lines.join('\n')}\n`
}

function description(one: PublicName, current: string, api: PublicApi, places: Places): string {
  const place = places.get(one.symbol.id)!
  const heading = `### ${one.name}`
  if (place.page !== current) return `${heading}\n\nDescribed in ${link(place, current)}.`
  const declarations = one.declarations.filter((node, _, all) => all.length === 1 || !('body' in node && node.body))
  const signatures = declarations.map((node) => `\`\`\`ts\n${signature(node, api.project)}\n\`\`\``)
  const uses = usedBy(one, api)
    .filter((id) => id !== one.symbol.id)
    .flatMap((id) => places.get(id) ?? [])
    .map((used) => link(used, current))
  const used = uses.length === 0 ? [] : [`Uses ${uses.join(', ')}.`]
  return [heading, ...signatures, ...prose(one, api), ...used].join('\n\n')
}

/** The docstring, then its tags, one a line. */
function prose(one: PublicName, { project }: PublicApi): readonly string[] {
  const text = one.symbol.getDocumentationComment(project.checker).trim()
  const tags = one.symbol.getJsDocTags(project.checker).map((tag) => `- **${tag.name}** ${tag.text ?? ''}`.trimEnd())
  return [text, tags.join('\n')].filter((part) => part !== '')
}

function usedBy(one: PublicName, { project }: PublicApi): readonly number[] {
  const nodes = one.declarations.flatMap(identifiersOf)
  const symbols = project.checker.getSymbolAtLocation(nodes).flatMap((symbol) => {
    if (symbol === undefined) return []
    return (symbol.flags & SymbolFlags.Alias) === 0 ? [symbol] : [project.checker.getAliasedSymbol(symbol)]
  })
  return [...new Set(symbols.map(({ id }) => id))]
}

function link(
  { page: target, heading, name }: { page: string; heading: string; name: string },
  current: string,
): string {
  return `[\`${name}\`](${target === current ? '' : posix.basename(target)}#${heading})`
}

/** What the entry point's own file says of itself before its first export. */
function openingComment({ source }: EntryPoint, { project, root }: PublicApi): string {
  const text = project.program.getSourceFile(join(root, source))?.text ?? ''
  const block = /^\/\*\*([\s\S]*?)\*\/\n\n/.exec(text)?.[1] ?? /^((?:\/\/.*\n)+)/.exec(text)?.[1] ?? ''
  return block
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\/|\*) ?/, '').trimEnd())
    .join('\n')
    .trim()
}

/** The names by the file that declares them: files by name, names in the order of the file. */
function byFile({ names }: EntryPoint): ReadonlyMap<string, readonly PublicName[]> {
  const files = [...new Set(names.map(({ file }) => file))].toSorted()
  return new Map(
    files.map((file) => [
      file,
      names
        .filter((one) => one.file === file)
        .toSorted((one, other) => one.declarations[0]!.pos - other.declarations[0]!.pos),
    ]),
  )
}

function subjectOf(file: string): string {
  return file.replace(/^src\//, '').replace(/\.ts$/, '')
}
