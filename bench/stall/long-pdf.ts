/** A PDF of about `bytes` bytes with `characters` characters of text. The rest is an attachment that is not read. */
export function longPdf(bytes: number, characters: number, pages = 1000): Buffer {
  const objects: string[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  const kids: string[] = []
  for (let page = 0; page < pages; page += 1) {
    const at = objects.length + 1
    const content = pageOf(page, Math.ceil(characters / pages))
    kids.push(`${at} 0 R`)
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${at + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    )
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`
  const text = objects.reduce((sum, each) => sum + each.length, 0)
  const rest = 'x'.repeat(Math.max(1, bytes - text))
  objects.push(`<< /Length ${rest.length} >>\nstream\n${rest}\nendstream`)
  return fileOf(objects)
}

function pageOf(page: number, characters: number): string {
  const lines: string[] = []
  for (let said = 0; said < characters; said += 76) {
    lines.push(
      `(Page ${String(page).padStart(4)}: the keeper of the lamp notes the wind, the tide, ${String(said).padStart(7)} ships.) Tj T*`,
    )
  }
  return `BT /F1 6 Tf 7 TL 36 760 Td\n${lines.join('\n')}\nET`
}

function fileOf(objects: readonly string[]): Buffer {
  const parts = ['%PDF-1.4\n']
  const offsets: number[] = []
  let at = parts[0]!.length
  for (const [index, object] of objects.entries()) {
    const part = `${index + 1} 0 obj\n${object}\nendobj\n`
    offsets.push(at)
    at += part.length
    parts.push(part)
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`)
  parts.push(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`)
  return Buffer.from(parts.join(''), 'latin1')
}
