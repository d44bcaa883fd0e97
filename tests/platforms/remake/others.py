MODELS = ()


def file_text(m):
    return ""
