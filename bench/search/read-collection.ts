import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { JudgedCollection } from './judged-collection.ts'

/**
 * Reads a folder in the format of the Cranfield collection: `*.all.*` with `.I .T .A .B .W`, `*.qry` with `.I .W`, and
 * `*qrel` with a line for each judgement: the position of the question in its file from 1, the document, the grade
 * (1 is best, 4 is worst, -1 is not an answer).
 */
export function readCollection(folder: string): JudgedCollection {
  const read = (pattern: RegExp) => {
    const name = readdirSync(folder).find((file) => pattern.test(file))
    if (!name)
      throw new Error(
        `there is no file ${pattern.source} in ${folder}: name a folder in the form of the Cranfield collection`,
      )
    return readFileSync(join(folder, name), 'utf8')
  }
  const judgements = read(/qrel$/)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 3)
  return {
    name: basename(folder),
    documents: recordsOf(read(/\.all/)).map(({ id, fields }) => ({
      id,
      title: oneLine(fields.get('T') ?? ''),
      text: (fields.get('W') ?? '').trim(),
    })),
    questions: recordsOf(read(/\.qry$/)).map(({ fields }, index) => ({
      text: oneLine(fields.get('W') ?? ''),
      gains: new Map(
        judgements
          .filter(([question, , grade]) => Number(question) === index + 1 && Number(grade) >= 1)
          .map(([, document, grade]) => [document!, 5 - Number(grade)]),
      ),
    })),
  }
}

interface Record {
  readonly id: string
  readonly fields: ReadonlyMap<string, string>
}

function recordsOf(text: string): readonly Record[] {
  return text
    .split(/^\.I /m)
    .slice(1)
    .map((record) => {
      const [id = '', ...fields] = record.split(/^\.([A-Z])[ \t]*$/m)
      return {
        id: id.trim(),
        fields: new Map(fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1] ?? '']] : []))),
      }
    })
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
