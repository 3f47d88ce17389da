import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { showToast } from '../parts/toasts.tsx'

interface DropAreaProps {
  onFiles(files: readonly File[]): void
  readonly children: ReactNode
}

/** A browser gives a folder as a file that cannot be read. */
function dropped({ items }: DataTransfer): { readonly files: readonly File[]; readonly folders: readonly string[] } {
  const given = [...items].flatMap((item) => {
    const file = item.getAsFile()
    return file === null ? [] : [{ file, isFolder: item.webkitGetAsEntry()?.isDirectory === true }]
  })
  return {
    files: given.filter(({ isFolder }) => !isFolder).map(({ file }) => file),
    folders: given.filter(({ isFolder }) => isFolder).map(({ file }) => file.name),
  }
}

/** The conversation: files that are dropped anywhere on it go with the next message. */
export function DropArea({ onFiles, children }: DropAreaProps): ReactNode {
  const [over, setOver] = useState(false)
  /** The pointer also leaves and enters what is inside. */
  const depth = useRef(0)
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')
  const end = (): void => {
    depth.current = 0
    setOver(false)
  }
  return (
    <main
      id="main"
      className="relative flex min-w-0 flex-1 flex-col"
      onDragEnter={(event) => {
        if (!hasFiles(event)) return
        depth.current += 1
        setOver(true)
      }}
      onDragLeave={() => {
        depth.current -= 1
        if (depth.current <= 0) end()
      }}
      onDragOver={(event) => {
        if (hasFiles(event)) event.preventDefault()
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        end()
        const { files, folders } = dropped(event.dataTransfer)
        onFiles(files)
        for (const name of folders) showToast({ text: `${name} is a folder. Drop the files in it instead.` })
      }}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center rounded-xl border-2 border-dashed border-accent bg-ground/90 p-4 text-center font-medium">
          Drop the files to attach them to the next message.
        </div>
      )}
    </main>
  )
}
