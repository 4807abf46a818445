/**
 * Loads code that uses the editor. While it is loaded, the editor looks once whether the browser
 * tells of pending input. If so, it parses for up to 100 ms at a time, and the page shows no frame
 * meanwhile. Without, it keeps to the time that the browser has left.
 */
export async function loadEditor<Module>(load: () => Promise<Module>): Promise<Module> {
  Object.defineProperty(navigator, 'scheduling', { value: undefined, configurable: true });
  try {
    return await load();
  } finally {
    // Shows the property of the prototype again.
    Reflect.deleteProperty(navigator, 'scheduling');
  }
}
