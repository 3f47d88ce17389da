/** Whether an entry of this name belongs to the owner alone, on any file system. */
export function isOwnersName(name: string): boolean {
  const plain = plainName(name)
  return FILES.has(plain) || FOLDERS.has(plain)
}

/** Files that other programs obey as the owner's word. Tools may read them, and neither change nor make them, at any depth. */
const FILES = new Set(
  [
    'AGENTS.md',
    'AGENTS.override.md',
    'CLAUDE.md',
    'CLAUDE.local.md',
    'GEMINI.md',
    '.cursorrules',
    '.windsurfrules',
    '.mcp.json',
    '.envrc',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.gitmodules',
    '.gitconfig',
  ].map((name) => name.toLowerCase()),
)

/** The same for folders, with everything in them. */
const FOLDERS = new Set([
  '.git',
  '.agents',
  '.claude',
  '.codex',
  '.cursor',
  '.gemini',
  '.vscode',
  '.idea',
  '.husky',
  '.devcontainer',
])

/** A name without what some file systems ignore: case, invisible characters; on Windows endings, short names and streams. */
function plainName(name: string): string {
  const [file] = name.replace(/\p{Cf}/gu, '').split(':', 1)
  const plain = file!
    .replace(/[. ]+$/, '')
    .toUpperCase()
    .toLowerCase()
  return plain === 'git~1' ? '.git' : plain
}
