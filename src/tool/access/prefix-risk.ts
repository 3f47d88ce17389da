import { commandWords } from './command-words.ts'

/**
 * Why a prefix of `allowedPrefixes` allows more than it seems to, as `it runs …`: any argument may follow it, and
 * its program then runs other programs or writes where it likes. `undefined` where nothing of that is known. A prefix that
 * cannot be read allows nothing, and is no risk.
 */
export function prefixRisk(prefix: string): string | undefined {
  const read = commandWords(prefix)
  const [program] = read.type === 'words' ? read.words : []
  if (program === undefined || program === '') return undefined
  const known = programNames(program)
  const why = known.map((name) => reasons.get(name)).find((reason) => reason !== undefined)
  if (why !== undefined) return why
  return program.includes('/') && !program.startsWith('/')
    ? 'it is a file of the workspace, and what can write there decides what runs'
    : undefined
}

/** `/usr/bin/python3.12`, `python3` and `PYTHON.EXE` are `python`; `gcc-12` is `gcc`. */
function programNames(program: string): readonly string[] {
  const file = program.slice(program.lastIndexOf('/') + 1)
  const name = file.replace(/\.(?:exe|cmd|bat|com)$/i, '')
  return [name, name.toLowerCase()].flatMap((each) => [each, each.replace(/-?\d+(?:\.\d+)*$/, '')])
}

/** What somebody can make a program do who chooses its arguments. */
interface RiskyProgram {
  /** With blanks between them, without versions: `python` is `python3.12` too. */
  readonly names: string
  /** What it does beyond its name: `it …`. */
  readonly why: string
}

/** When the table was last gone through. Programs learn new options. */
export const RISKY_PROGRAMS_CHECKED = '2026-11-22'

const runsAnyProgram = 'it runs any program that is named after it'
const runsCode = 'it runs any code that it is given, on its command line or in a file'
const runsProject = 'it runs programs and scripts that files of the project name, and tools can write such files'
const writesAnywhere = 'it writes, replaces or removes any file that you may'
const remote = 'it runs programs of its options, and carries data to other machines'

/**
 * Programs that, with arguments of somebody else's choice, run other programs or write where they like. A prefix allows
 * every argument behind it, so no subcommand makes them safe. What only reads (`cat`, `grep`) is not here: it reads
 * whatever you can read; the guide explains that.
 */
export const riskyPrograms: readonly RiskyProgram[] = [
  {
    names: 'sh bash dash zsh ksh mksh ash csh tcsh fish nu rbash busybox toybox',
    why: 'it is a shell, and runs any command',
  },
  {
    names: 'cmd powershell pwsh wsl osascript cscript wscript',
    why: 'it is a shell, and runs any command',
  },
  {
    names:
      'env xargs parallel nice ionice chrt taskset nohup setsid timeout time watch stdbuf unbuffer script expect strace ltrace perf valgrind flock exec eval command sudo doas su runuser pkexec chroot unshare nsenter setpriv capsh prlimit systemd-run tmux screen at batch crontab start-stop-daemon entr ld ldd xvfb-run',
    why: runsAnyProgram,
  },
  {
    names:
      'python pypy ipython perl ruby irb php lua luajit tclsh wish guile racket node nodejs deno bun ts-node tsx java jshell kotlin scala groovy Rscript R julia octave ghci runghc erl escript elixir iex swift dotnet gdb lldb dc m4',
    why: runsCode,
  },
  { names: 'awk gawk mawk nawk', why: 'its programs run commands (system, pipes) and write files' },
  { names: 'sed gsed', why: 'its scripts run commands (e) and write files (w), and -i replaces files' },
  { names: 'find gfind', why: 'it runs commands (-exec) and removes and writes files (-delete, -fprintf)' },
  { names: 'fd fdfind', why: 'it runs commands (--exec)' },
  { names: 'rg', why: 'it runs a command for each file (--pre)' },
  { names: 'ack ag', why: 'it runs a command (--pager)' },
  {
    names: 'git',
    why: 'its options and the configuration of a repository run programs (-c, --exec-path, hooks, fsmonitor, pagers), and --output writes any file',
  },
  {
    names: 'hg svn cvs bzr fossil jj gh glab',
    why: 'its options and configuration run programs',
  },
  {
    names: 'tar gtar bsdtar',
    why: 'it runs programs (--to-command, --checkpoint-action, -I) and writes any file',
  },
  {
    names: 'cpio ar pax unzip 7z 7za 7zz unrar zip',
    why: 'it writes any file, or runs a program (zip -TT)',
  },
  {
    names: 'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 brotli',
    why: 'it replaces and removes files',
  },
  {
    names: 'rsync scp sftp ssh mosh ftp lftp telnet nc ncat netcat socat',
    why: remote,
  },
  {
    names: 'curl wget aria2c http https xh',
    why: 'it sends any file to any address, and writes what comes back anywhere',
  },
  { names: 'aws gcloud az terraform tofu ansible ansible-playbook rclone', why: remote },
  {
    names: 'docker podman nerdctl kubectl helm lxc incus vagrant qemu flatpak snap',
    why: 'it runs programs with access to any file',
  },
  {
    names: 'npm npx pnpm pnpx yarn bunx corepack make gmake cmake ninja meson just task',
    why: runsProject,
  },
  {
    names: 'cargo go mvn gradle ant sbt bazel rake bundle composer mix stack cabal tox',
    why: runsProject,
  },
  {
    names: 'pytest jest vitest mocha eslint prettier webpack vite tsc pre-commit',
    why: runsProject,
  },
  {
    names: 'gcc g++ cc c++ clang clang++ cpp rustc javac ghc as tcc nasm objcopy strip',
    why: 'it writes any file (-o), and some of its options run programs',
  },
  {
    names: 'pip pipx uv uvx poetry conda gem apt apt-get dpkg yum dnf rpm pacman apk brew nix',
    why: 'it installs packages, and what they bring runs',
  },
  {
    names: 'vi vim nvim view emacs nano pico ed ex joe micro hx code',
    why: 'it is an editor: it writes any file, and runs commands',
  },
  {
    names: 'less more most man info pager bat lesspipe',
    why: 'it starts other programs, such as editors, pagers and filters',
  },
  {
    names: 'sqlite3 psql mysql mariadb mongosh mongo redis-cli duckdb',
    why: 'it runs commands (.shell, \\!) and writes files',
  },
  {
    names: 'cp mv rm rmdir ln link unlink dd install tee touch truncate shred mkdir mkfifo mknod patch rename sponge',
    why: writesAnywhere,
  },
  {
    names: 'chmod chown chgrp chattr setfacl setfattr xattr',
    why: 'it changes who may read, write and run any file of yours',
  },
  { names: 'sort gsort', why: 'it writes any file (-o), and runs a program (--compress-program)' },
  { names: 'uniq', why: 'its second argument is a file that it writes' },
  { names: 'split csplit', why: 'it writes files, and runs a command (--filter)' },
  {
    names: 'tree iconv yq xmllint xsltproc dot base32 uudecode xxd file ctags shuf',
    why: 'one of its options or arguments is a file that it writes',
  },
  {
    names: 'pandoc latex pdflatex xelatex lualatex tex troff groff asciidoctor',
    why: 'it runs filters or commands of a document, and writes files',
  },
  {
    names: 'convert magick mogrify ffmpeg ffprobe gs inkscape soffice libreoffice exiftool qpdf sox',
    why: 'it writes any file, and some of its options run programs or fetch addresses',
  },
  {
    names: 'openssl gpg gpg2 age ssh-keygen ssh-add keytool pass security',
    why: 'it writes files (-out, -o), and works with your keys',
  },
  {
    names:
      'systemctl service launchctl loginctl journalctl kill pkill killall reboot shutdown mount umount sysctl ip iptables nft modprobe insmod useradd usermod passwd tcpdump nmap',
    why: 'it changes the machine, or starts and ends programs',
  },
  {
    names: 'open xdg-open start explorer mail sendmail mutt',
    why: 'it starts other programs, or sends what it is given',
  },
]

const reasons = new Map(riskyPrograms.flatMap(({ names, why }) => names.split(' ').map((name) => [name, why])))
