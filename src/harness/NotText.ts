/** What a file seems to be that is not UTF-8 text. */

const bytesOf = (text: string): ReadonlyArray<number> => Array.from(text, (character) => character.charCodeAt(0))

/** What files begin with, from the first byte on. */
const signatures: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
  [[0xff, 0xfe, 0, 0], "UTF-32 text, little-endian"],
  [[0, 0, 0xfe, 0xff], "UTF-32 text, big-endian"],
  [[0xff, 0xfe], "UTF-16 text, little-endian"],
  [[0xfe, 0xff], "UTF-16 text, big-endian"],
  [[0x89, ...bytesOf("PNG")], "a PNG image"],
  [[0xff, 0xd8, 0xff], "a JPEG image"],
  [bytesOf("GIF8"), "a GIF image"],
  [bytesOf("BM"), "a BMP image"],
  [[0, 0, 1, 0], "an icon"],
  [bytesOf("%PDF-"), "a PDF document"],
  [bytesOf("PK\u0003\u0004"), "a ZIP archive (or a document or package in one)"],
  [[0x1f, 0x8b], "gzip-compressed data"],
  [bytesOf("BZh"), "bzip2-compressed data"],
  [[0xfd, ...bytesOf("7zXZ"), 0], "xz-compressed data"],
  [[0x28, 0xb5, 0x2f, 0xfd], "zstd-compressed data"],
  [bytesOf("7z\u00BC\u00AF"), "a 7-Zip archive"],
  [[0x7f, ...bytesOf("ELF")], "an ELF executable or library"],
  [[0xcf, 0xfa, 0xed, 0xfe], "a Mach-O executable or library"],
  [[0xca, 0xfe, 0xba, 0xbe], "a Java class or a universal Mach-O file"],
  [bytesOf("MZ"), "a Windows executable or library"],
  [[0, ...bytesOf("asm")], "a WebAssembly module"],
  [bytesOf("SQLite format 3\0"), "a SQLite database"],
  [bytesOf("wOF2"), "a WOFF2 font"],
  [bytesOf("OggS"), "Ogg audio or video"],
  [bytesOf("ID3"), "MP3 audio"]
]

const startsWith = (bytes: Uint8Array, signature: ReadonlyArray<number>): boolean =>
  signature.every((byte, index) => bytes[index] === byte)

const containers: ReadonlyArray<readonly [at: number, mark: string, what: string]> = [
  [8, "WEBP", "a WebP image"],
  [8, "WAVE", "WAVE audio"],
  [4, "ftyp", "an MP4, HEIF or AVIF file"],
  [257, "ustar", "a tar archive"]
]

/** Names the format that the first bytes of a file tell; only for a file that is known not to be text. */
export const describe = (head: Uint8Array): string => {
  for (const [signature, what] of signatures) if (startsWith(head, signature)) return what
  for (const [at, mark, what] of containers) if (startsWith(head.subarray(at), bytesOf(mark))) return what
  const zeros = [0, 0]
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]!++
  const [even, odd] = zeros
  if (odd! > head.length / 4 && even === 0) return "UTF-16 text, little-endian, without a byte order mark"
  if (even! > head.length / 4 && odd === 0) return "UTF-16 text, big-endian, without a byte order mark"
  if (even! + odd! > 0) return "binary data"
  return "text in another encoding, such as Latin-1 or Windows-1252"
}

/** Bytes as people read them. */
export const size = (bytes: bigint | number): string => {
  const count = Number(bytes)
  if (count < 1024) return count === 1 ? "1 byte" : `${count} bytes`
  return count < 1024 * 1024 ? `${(count / 1024).toFixed(1)} KiB` : `${(count / (1024 * 1024)).toFixed(1)} MiB`
}
