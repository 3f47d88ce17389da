/** Prose of the given length in characters: sentences, paragraphs, headings, a list, code, numbers in brackets. */
export function longText(characters: number): string {
  const parts: string[] = []
  let length = 0
  for (let index = 0; length < characters; index += 1) {
    const part = paragraph(index)
    parts.push(part)
    length += part.length
  }
  return parts.join('').slice(0, characters).toWellFormed()
}

function paragraph(index: number): string {
  const sentence = `The keeper of lamp ${index} notes the wind, the tide and ${index * 7} ships that passed [${index % 9}]. `
  if (index % 40 === 0) return `\n## Night ${index}\n\n`
  if (index % 17 === 0) return `- oil: ${index} litres\n- wick: trimmed twice\n\n`
  if (index % 29 === 0) return `\`\`\`\nlet lamp = [${index}]\n\`\`\`\n\n`
  return `${sentence.repeat(1 + (index % 5))}\n\n`
}
