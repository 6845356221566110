/** Text of a model, a tool or a worker, made safe for a terminal. */

/** Control characters, but line ends and tabs, as visible escapes: none of them reaches the terminal. */
export const visible = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (char) => {
      const code = char.charCodeAt(0)
      return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`
    })
