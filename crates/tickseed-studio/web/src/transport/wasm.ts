/**
 * The engine's code: beside the page, or within it where everything is one file
 * (`<script type="text/plain" id="engine">`, base64).
 */
export async function engineBytes(): Promise<ArrayBuffer> {
  const inline = document.getElementById('engine')?.textContent?.trim();
  if (inline) {
    const text = atob(inline);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes.buffer;
  }
  const response = await fetch(new URL('tickseed.wasm', document.baseURI));
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}
