/** The npm that runs this script, else the one on the PATH: what to start, and the words before its own. */
export function npmProgram() {
  const script = process.env.npm_execpath
  if (script !== undefined && /npm-cli\.[cm]?js$/.test(script)) {
    return { file: process.execPath, words: [script], shell: false }
  }
  return { file: 'npm', words: [], shell: process.platform === 'win32' }
}
