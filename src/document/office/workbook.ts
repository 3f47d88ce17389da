import { posix } from 'node:path'
import { ReadingFault } from '../reading-fault.ts'
import { attributeOf, scanXml } from './xml-scan.ts'
import type { Archive } from './zip-archive.ts'

export interface Sheet {
  readonly name: string
  /** The part of the package that holds its cells. */
  readonly part: string
}

/** What a workbook says of itself: its sheets in their order, and whether its days are counted from 1904. */
export function workbook(archive: Archive): { readonly sheets: readonly Sheet[]; readonly startsIn1904: boolean } {
  const part = archive.names.find((name) => /^xl\/workbook\d*\.xml$/.test(name))
  const xml = part === undefined ? undefined : archive.textOf(part)
  if (part === undefined || xml === undefined) throw new ReadingFault('broken', 'the file holds no workbook')
  const targets = relations(archive, part)
  const sheets: Sheet[] = []
  let startsIn1904 = false
  scanXml(xml, {
    open(name, attributes) {
      if (name === 'workbookPr') startsIn1904 = /^(?:1|true)$/.test(attributeOf(attributes, 'date1904') ?? '')
      const target = name === 'sheet' ? targets.get(attributeOf(attributes, String.raw`\w+:id`) ?? '') : undefined
      const title = attributeOf(attributes, 'name') ?? ''
      if (target !== undefined) sheets.push({ name: title.replace(/\s+/g, ' ').toWellFormed(), part: target })
    },
  })
  return { sheets, startsIn1904 }
}

/** Which part stands behind each id. */
function relations(archive: Archive, part: string): ReadonlyMap<string, string> {
  const folder = posix.dirname(part)
  const targets = new Map<string, string>()
  scanXml(archive.textOf(`${folder}/_rels/${posix.basename(part)}.rels`) ?? '', {
    open(name, attributes) {
      const [id, target] = [attributeOf(attributes, 'Id'), attributeOf(attributes, 'Target')]
      if (name !== 'Relationship' || id === undefined || target === undefined) return
      targets.set(id, target.startsWith('/') ? target.slice(1) : posix.join(folder, target))
    },
  })
  return targets
}
