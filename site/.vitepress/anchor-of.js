/** The anchor of a heading, as GitHub makes it, so that a link works in both: `## 6. Change it` is `#6-change-it`. */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
