import type { HouseGraph } from './house-graph.ts'

const begin = '<!-- the house, drawn by `npm run docs` -->'
const end = '<!-- end of the drawing -->'

/** The picture of the house, and the same as Mermaid for those who read text. */
export function houseText({ floors, imports }: HouseGraph): string {
  const groups = floors
    .toReversed()
    .flatMap((rooms, at) => [
      `  subgraph floor-${floors.length - at} [" "]`,
      ...rooms.map(({ name, features }) => `    ${name}["${[name, ...features].join('<br>')}"]`),
      '  end',
    ])
  const arrows = imports.map(({ from, to, weight }) => `  ${from} ${['-.->', '-->', '==>'][weight - 1]} ${to}`)
  return [
    '![The rooms of the house by floor, with an arrow for the imports of one room from another](house.svg)',
    'Drawn from the imports. An arrow leads from a room to what it imports; the thicker, the more imports. As text (Mermaid; dotted: fewer than 10 imports, thick: 50 or more):',
    ['```mermaid', 'flowchart TB', ...groups, ...arrows, '```'].join('\n'),
  ].join('\n\n')
}

/** The page with its drawing replaced, or with one at its end. */
export function withHouseText(page: string, text: string): string {
  const drawing = `${begin}\n\n${text}\n\n${end}`
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)]
  if (start === -1 || stop === -1) return `${page.trimEnd()}\n\n## A picture of it\n\n${drawing}\n`
  return `${page.slice(0, start)}${drawing}${page.slice(stop + end.length)}`
}
