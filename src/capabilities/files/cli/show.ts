import type { FileRow } from '../../../session.ts'
import {
  ask,
  connected,
  exactLine,
  fullTimeText,
  harmless,
  ownerText,
  pathTo,
  print,
  printJson,
  sizeText,
  stateText,
  styled,
  table,
  findFile,
} from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'

/** What is known of one file. */
export async function showFile(call: CommandCall, io: Io): Promise<number> {
  const row = await connected(call.home, io, 'read', (connection) => findFile(connection, call.words[1]!))
  if (call.json) printJson(io, row)
  else tellFile(row, io)
  return 0
}

/** The whole text that was found in a file, and nothing else on the standard output. */
export async function showText(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, 'read', async (connection) => {
    const { id } = await findFile(connection, call.words[1]!)
    let last = '\n'
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const path = pathTo('/api/files/', id, `/text?limit=200000&offset=${offset}`)
      const page: TextPage = await ask<TextPage>(connection, path)
      if (call.json) printJson(io, page)
      else io.stdout.write(harmless(page.text, io.stdout))
      last = page.text
      offset = page.next
    }
    if (!call.json && !last.endsWith('\n')) io.stdout.write('\n')
    return 0
  })
}

interface TextPage {
  readonly text: string
  readonly next?: number
}

function tellFile({ id, name, time, owner, bytes, hash, state }: FileRow, io: Io): void {
  const pages = state.type === 'ready' && state.reading.kind === 'text' ? state.reading.pages?.length : undefined
  print(io, styled(io, 'bold', exactLine(name)))
  print(
    io,
    table([
      ['id', id],
      ['of', ownerText(owner)],
      ['handed in', fullTimeText(time, new Date())],
      ['size', sizeText(bytes)],
      ['sha256', hash],
      ...(pages === undefined ? [] : [['pages', String(pages)]]),
      ['state', stateText(state)],
    ]),
  )
}
