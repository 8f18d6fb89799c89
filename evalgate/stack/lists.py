"""
Step 10 of the grammar: its closed lists, and the two token patterns that go with them (step 2).

They are data: a name goes in when real output shows it, with a vector that pins it, and since that regroups crashes
it raises SIGNATURE_RULES.
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Node 20: the names of util.getSystemErrorMap() (84), what os.constants.errno has beyond them (19), and ENOTFOUND,
# which node's own dns code makes up (lib/internal/dns/utils.js). Closed on purpose: any word in capitals before a
# colon is message text (`EVAL: 3 of 5 cases failed`).
ERRNO = _words(
    """
    E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAGAIN EAI_ADDRFAMILY EAI_AGAIN EAI_BADFLAGS EAI_BADHINTS
    EAI_CANCELED EAI_FAIL EAI_FAMILY EAI_MEMORY EAI_NODATA EAI_NONAME EAI_OVERFLOW EAI_PROTOCOL EAI_SERVICE
    EAI_SOCKTYPE EALREADY EBADF EBUSY ECANCELED ECHARSET ECONNABORTED ECONNREFUSED ECONNRESET EDESTADDRREQ EEXIST
    EFAULT EFBIG EFTYPE EHOSTDOWN EHOSTUNREACH EILSEQ EINTR EINVAL EIO EISCONN EISDIR ELOOP EMFILE EMLINK EMSGSIZE
    ENAMETOOLONG ENETDOWN ENETUNREACH ENFILE ENOBUFS ENODATA ENODEV ENOENT ENOMEM ENONET ENOPROTOOPT ENOSPC ENOSYS
    ENOTCONN ENOTDIR ENOTEMPTY ENOTSOCK ENOTSUP ENOTTY ENXIO EOF EOVERFLOW EPERM EPIPE EPROTO EPROTONOSUPPORT
    EPROTOTYPE ERANGE EREMOTEIO EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ETIMEDOUT ETXTBSY EUNATCH EXDEV UNKNOWN

    EBADMSG ECHILD EDEADLK EDOM EDQUOT EIDRM EINPROGRESS EMULTIHOP ENETRESET ENOEXEC ENOLCK ENOLINK ENOMSG ENOSR
    ENOSTR EOPNOTSUPP ESTALE ETIME EWOULDBLOCK

    ENOTFOUND
    """
)

# Say that something went wrong, not what: alone they would join every bug of a kind. The built-in classes of
# ECMAScript and the web (SuppressedError: explicit resource management; InternalError: SpiderMonkey), the built-in
# exceptions of Python that any line of code may raise, and node's codes for "an error, unspecified".
GENERIC = _words(
    """
    Error TypeError RangeError ReferenceError SyntaxError EvalError URIError AggregateError InternalError
    SuppressedError RuntimeError AssertionError DOMException

    Exception BaseException ExceptionGroup BaseExceptionGroup ValueError KeyError IndexError LookupError
    AttributeError NameError UnboundLocalError ArithmeticError ZeroDivisionError OverflowError FloatingPointError
    OSError IOError EnvironmentError ImportError NotImplementedError RecursionError SystemError BufferError EOFError
    StopIteration StopAsyncIteration UnicodeError UnicodeDecodeError UnicodeEncodeError

    ERR_ASSERTION ERR_UNHANDLED_ERROR ERR_UNHANDLED_REJECTION ERR_INTERNAL_ASSERTION UNKNOWN
    """
)

# What V8 prints for a function that has no name of its own: the inferred receiver and property of a default export,
# a timer callback or a module body, and the synthetic functions of class fields.
NONAME = _words(
    """
    <anonymous> anonymous eval default module.exports exports.default Module.default Object.default
    Timeout._onTimeout Immediate._onImmediate <static_initializer> <instance_members_initializer>
    """
)

# Functions that TypeScript, esbuild and Babel put between an async function and its caller when they compile async
# functions to generators.
HELPER = _words("__awaiter __async _asyncToGenerator asyncGeneratorStep")

# The functions of the same helpers that drive the generator. The names are everyday words, so they count as drivers
# only directly below the generator's own frame.
DRIVER = _words("fulfilled rejected step _next _throw asyncGeneratorStep")

# Receivers that V8 prints before `.<anonymous>` and that belong to the platform: `Socket.<anonymous>` is any callback
# on any socket, `ProfileLoader.<anonymous>` is one class of the application.
PLATFORM = _words(
    """
    Object Function Module Array Map Set Promise Proxy Generator AsyncGenerator global process Process Timeout
    Immediate EventEmitter EventTarget AbortSignal Socket TLSSocket Server ChildProcess Worker MessagePort
    ClientRequest IncomingMessage ServerResponse Readable Writable Duplex Transform PassThrough ReadStream WriteStream
    Interface FSWatcher Pipe TCP undefined null
    """
)

# Python exceptions that end a process on request.
PYTHON_EXITS = _words("KeyboardInterrupt SystemExit GeneratorExit")

# What CPython prints between a traceback and the one it caused (Lib/traceback.py, _cause_message).
PYTHON_CAUSED = "The above exception was the direct cause of the following exception:"

IDENT = r"(?:[^\W\d]|\$)[\w$]*+"
"""An identifier, as a pattern: letter, `_` or `$`, then letters, digits, `_`, `$`; Unicode."""

_CODE = re.compile(r"[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)*+")
_CODE_MIN, _CODE_MAX = 3, 64


def is_code(word: str) -> bool:
    """Whether `word` is an error code by its shape (step 2): `ENOENT`, `ERR_MODULE_NOT_FOUND`, not `E` or `Enoent`."""
    return _CODE_MIN <= len(word) <= _CODE_MAX and _CODE.fullmatch(word) is not None


def ends_as_error(word: str) -> bool:
    """Whether `word` names an error class by its end (step 3)."""
    return word.endswith(("Error", "Exception"))
