import { scanXml } from './xml-scan.ts'
import type { Archive } from './zip-archive.ts'

/** The title that an author gave, as the properties of a document hold it. */
export function officeTitle(archive: Archive): { readonly title?: string } {
  let inside = false
  let title = ''
  scanXml(archive.textOf('docProps/core.xml') ?? '', {
    open: (name) => void (inside = name === 'title'),
    close: () => void (inside = false),
    text: (text) => void (inside && (title += text)),
  })
  const clean = title.replace(/\s+/g, ' ').trim().slice(0, 500).toWellFormed()
  return clean === '' ? {} : { title: clean }
}
